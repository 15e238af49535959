from crawler.core.hot_loops.text import CueWords as CueWords
from crawler.core.hot_loops.text import Stems as Stems
from crawler.core.hot_loops.text import class_counts as class_counts
from crawler.core.hot_loops.text import cues_of_word as cues_of_word
from crawler.core.hot_loops.text import gram_hits as gram_hits
from crawler.core.hot_loops.text import may_have_many_attributes as may_have_many_attributes
from crawler.core.hot_loops.text import normal_forms as normal_forms
from crawler.core.hot_loops.text import without_control as without_control

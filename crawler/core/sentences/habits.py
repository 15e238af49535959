"""What the general rules must know of single languages: abbreviations, and words that begin."""

# ruff: noqa: RUF001 - words in many scripts are this module's data

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LIST_ENDS", "Habits", "habits_of"]

# "And so on": a list ends with it, and often the sentence too.
_LIST_ENDS = "etc ecc usw usf itd itp enz osv atd apod stb т.д т.п д др пр κ.λπ κλπ κ.ά"
LIST_ENDS = frozenset(_LIST_ENDS.split())


@dataclass(frozen=True, slots=True)
class Habits:
    """A language's habits of writing.

    ``never``
        Abbreviations whose dot ends no sentence, since a name or a number always follows.
        Lower-case, without the last dot.
    ``before_number``
        Abbreviations whose dot ends no sentence where a digit follows.
    ``shortened``
        Other abbreviations that the library does not know.
    ``starters``
        Lower-case words that begin sentences and are no names: after the dot of any other
        abbreviation such a word, written with a capital, begins a new sentence.
    ``ordinals``
        Whether a number with a dot is an ordinal and nouns have capitals ("am 2. Platz"), so that
        a capital does not tell a new sentence. Elsewhere the small letter after "3." tells.
    """

    never: frozenset[str] = frozenset()
    before_number: frozenset[str] = frozenset()
    shortened: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    ordinals: bool = False


def habits_of(language: str) -> Habits:
    """Return the habits of a primary language subtag; none where nothing is known of it."""
    return _HABITS.get(language, _NONE)


def _habits(
    *,
    never: str = "",
    before_number: str = "",
    shortened: str = "",
    starters: str = "",
    ordinals: bool = False,
) -> Habits:
    return Habits(
        frozenset(never.split()),
        frozenset(before_number.split()),
        frozenset(shortened.split()),
        frozenset(starters.split()),
        ordinals,
    )


_NONE = Habits()
_RUSSIAN_NEVER = "см ср ул пр пл пер просп наб бул им проф акад доц г-н г-жа св гр обл с-з напр"
_HABITS: Mapping[str, Habits] = MappingProxyType(
    {
        "en": _habits(
            never="mr mrs ms messrs mmes dr prof rev hon gen col maj capt cmdr lt sgt cpl pvt adm "
            "sen rep gov pres supt st ste mt ft e.g i.e eg ie cf viz vs v al approx fig figs vol "
            "ed eds op ca dept est",
            before_number="no nos nr p pp ch sec art para jan feb mar apr jun jul aug sep sept oct "
            "nov dec vol fig",
            shortened="inc ltd corp co bros jr sr univ assn ave blvd min max avg tel ext misc "
            "incl excl hrs lbs",
            starters="a an the this that these those he she it we you they i his her its our your "
            "their my there here what when where who why how which if but and or so yet in on at "
            "as after before although because since while for from by with to not no yes is are "
            "was were do does did can could will would should may might all some many most each "
            "every one two then now today however also even once please thanks let mr mrs ms",
        ),
        "de": _habits(
            never="hr hrn fr dr prof dipl ing st z.b z d.h d i.d.r u.a vgl s bzw ca inkl exkl evtl "
            "ggf sog v.a o.ä str nr tel abb abs art bd",
            before_number="nr s bd abs art abb kap tel jh ca",
            starters="der die das den dem des ein eine einen einem einer er sie es wir ich ihr "
            "man und aber oder doch dann danach da dort hier so nun jetzt heute im in am an auf "
            "aus bei mit nach von vor zu zum zur für über unter als wenn weil obwohl während "
            "dies diese dieser dieses diesen kein keine nicht auch noch schon was wer wie wo wann "
            "warum ist sind war hat",
            ordinals=True,
        ),
        "fr": _habits(
            never="m mm mme mlle dr me pr st ste mgr cf av apr env p.ex ex vol fig éd",
            before_number="p pp n no vol fig art chap t",
            starters="le la les l un une des il elle ils elles on nous vous je tu ce cette ces "
            "cela ça c mais et ou donc or puis dans en à au aux de du d pour par avec sans sur "
            "sous qui que quoi quand où comment pourquoi si son sa ses leur leurs notre votre "
            "tout tous ainsi alors après avant aussi enfin",
        ),
        "es": _habits(
            never="sr sra srta sres d dª dña dr dra dres ud uds vd vds lic ing arq prof profa gral "
            "cnel sto sta fr p.ej ej cf av avda c fig vol n nº n° núm",
            before_number="pág págs p pp art arts cap fig vol núm nº n n° tel",
            starters="el la los las un una unos unas él ella ellos ellas yo tú usted nosotros esto "
            "este esta estos estas eso ese esa pero y o así entonces luego después antes en de a "
            "al del con sin por para según que qué quién cómo cuándo dónde si no sí también hay "
            "es son su sus mi nuestro todo todos muy",
        ),
        "pt": _habits(
            never="sr sra srta dr dra prof profa eng exmo exma d av r ex cf fig vol pág",
            before_number="pág p pp art cap fig vol n nº tel",
            starters="o a os as um uma ele ela eles elas eu nós isto este esta isso mas e ou então "
            "depois em no na de do da com sem por para que quem como quando onde se não sim",
        ),
        "it": _habits(
            never="sig sigg sig.ra sig.na dr dott dott.ssa prof prof.ssa avv ing arch geom on sen "
            "mons s ss es cfr fig vol pag p.es ecc.mo",
            before_number="pag pagg p pp art cap fig vol n nr tel",
            starters="il lo la i gli le un uno una egli ella lui lei loro io tu noi voi questo "
            "questa questi ma e o però poi dopo prima in nel nella di del della con senza per da "
            "che chi come quando dove se non anche è sono",
        ),
        "nl": _habits(
            never="dhr mevr mw dr drs prof ir ing mr st bijv bv o.a m.b.v t.a.v d.w.z nl",
            before_number="nr blz p art afb tel",
            starters="de het een hij zij ze wij we ik jij je dit dat deze die maar en of "
            "dan daarna er hier daar in op aan bij met van voor naar uit als toen wat "
            "wie hoe waar niet ook",
        ),
        "da": _habits(
            never="hr fr dr prof f.eks bl.a dvs ca nr kl skt st",
            before_number="nr kl s ca tlf",
            starters="den det de der en et han hun vi jeg du i men og eller så da her hvad hvem "
            "hvor hvordan hvornår hvorfor hvis når ikke også på til med for som efter",
        ),
        "sv": _habits(
            never="hr fr dr prof t.ex bl.a dvs ca nr kl s.k",
            before_number="nr kl s ca tel",
            starters="den det de en ett han hon vi jag du i men och eller så då här vad vem var "
            "hur när varför om inte också på till med för som efter",
        ),
        "pl": _habits(
            never="p pan dr prof mgr inż doc hab lek ks bp św ul al pl os np tzn tj tzw m.in ok "
            "ww zob por gen płk kpt im red",
            before_number="s str nr rys tab t tom rozdz art ust pkt poz zob tel godz ok",
            starters="ten ta to ci te on ona ono oni one ja ty my wy ale i a lub oraz więc jednak "
            "potem wtedy teraz tu tam w we na z ze do od po przed przy dla o u za pod nad że czy "
            "co kto jak gdy gdzie kiedy dlaczego jeśli nie tak jest są był była jego jej ich",
        ),
        "ru": _habits(
            never=_RUSSIAN_NEVER + " т.е т.н",
            before_number="рис стр с гл т п пп ст табл д кв корп оф тел № вып",
            starters="в во на с со к ко по от до из за у о об при для он она оно они мы вы я ты "
            "это этот эта эти тот та те там тут здесь но и а или потом затем теперь тогда так как "
            "что кто где когда почему если не да нет его её ее их все всё также однако после",
        ),
        "uk": _habits(
            never="див вул пр пл проф акад ім напр св обл т.зв",
            before_number="рис стор с гл т п ст табл буд кв тел",
            starters="в у на з зі до від по за о об при для він вона воно вони ми ви я ти це цей "
            "ця ці там тут але і й а або потім тепер тоді так як що хто де коли чому якщо не",
        ),
        "bg": _habits(
            never="вж ул бул пл проф акад доц г-н г-жа св напр т.нар вкл т.е",
            before_number="фиг стр с гл т чл ал табл бл ап тел",
            starters="в във на с със от до по за при той тя то те ние вие аз ти това този тази "
            "тези там тук но и а или после сега тогава така как какво кой къде кога защо ако не",
        ),
        "el": _habits(
            never="κ κα κος κκ δρ καθ αγ οδ λεωφ πρβλ βλ δηλ π.χ λ.χ μ.μ π.μ",
            before_number="σελ σ κεφ αρ αριθ εικ τόμ τηλ άρθ",
            starters="ο η το οι τα τον την του της των ένας μια ένα αυτός αυτή αυτό αλλά και ή "
            "όμως μετά τότε τώρα εδώ εκεί στο στη στην στον στα στις από με για σε ως τι ποιος "
            "πού πώς πότε γιατί αν δεν ναι όχι είναι ήταν",
        ),
        "cs": _habits(
            never="p pan dr mgr ing prof doc mudr judr sv ul např tj tzv resp č",
            before_number="č s str obr tab odst čl tel",
            starters="ten ta to ti on ona oni my vy já ale a nebo pak potom teď tady tam v ve na z "
            "do od po před pro o u za co kdo jak kde když proč pokud ne je jsou byl byla",
        ),
        "sk": _habits(
            never="p pán dr mgr ing prof doc mudr judr sv ul napr tj tzv resp č s r",
            before_number="č s str obr tab ods čl tel",
            starters="ten tá to tí on ona oni my vy ja ale a alebo potom teraz tu tam v vo na z do "
            "od po pred pre o u za čo kto ako kde keď prečo ak nie je sú bol bola",
        ),
        "ro": _habits(
            never="dl d-l dna d-na dr prof ing str bd bl nr sf ex",
            before_number="nr pag p art fig cap tel",
            starters="el ea ei ele eu tu noi voi un o acest această dar și sau apoi atunci acum "
            "aici în la de din cu fără pentru că ce cine cum când unde dacă nu da este sunt",
        ),
        "tr": _habits(never="dr prof doç av sn st bkz örn vb", before_number="s no"),
        "hu": _habits(never="dr prof ifj id pl ún st", before_number="kb sz"),
        "lb": _habits(
            never="hr dr prof z.b d.h", starters="dat déi den de si hien hatt mir", ordinals=True
        ),
    }
)

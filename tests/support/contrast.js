// Gives the words and controls whose contrast is below that of WCAG 2.2 AA (1.4.3 and 1.4.11).
() => {
  const channels = (text) => text.match(/[\d.]+/g).map((its, at) =>
    (text.startsWith("color(") && at < 3 ? its * 255 : Number(its)));
  const over = ([r, g, b, a = 1], under) =>
    [r, g, b].map((its, at) => its * a + under[at] * (1 - a));
  const linear = (its) => (its <= 0.03928 ? its / 12.92 : ((its + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [r, g, b] = colour.map((its) => linear(its / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const behind = (element) => (element
    ? over(channels(getComputedStyle(element).backgroundColor), behind(element.parentElement))
    : [255, 255, 255]);
  const shown = (element) =>
    element.checkVisibility() && !element.closest(":disabled, option, .unseen, [aria-hidden]");
  const poor = [];
  const check = (colour, back, least, name) => {
    if (ratio(over(channels(colour), back), back) < least) poor.push(name);
  };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { data, parentElement } = words.currentNode;
    if (!data.trim() || !shown(parentElement)) continue;
    check(getComputedStyle(parentElement).color, behind(parentElement), 4.5, data);
  }
  for (const element of document.querySelectorAll("input, select, textarea")) {
    if (!shown(element)) continue;
    const edge = getComputedStyle(element).borderTopColor;
    check(edge, behind(element.parentElement), 3, element.id);
    check(getComputedStyle(element, "::placeholder").color, behind(element), 4.5, element.id);
  }
  return poor;
}

// Puts markup into the page. Only this module turns text into elements, and only text that `html` has escaped.

import { RELATIVE_TIMES } from './format.ts';
import type { Markup } from './html.ts';

/** In browsers with Trusted Types, only this policy can turn text into elements. */
const policy = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(text: string): string } };
  }
).trustedTypes?.createPolicy('proxywatch', { createHTML: (text: string) => text });

/** Returns the element with this id. Throws if the server's page does not have it. */
export const elementById = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found as T;
};

const shownMarkup = new WeakMap<Element, string>();

/** Shows the markup, unless only relative times differ from what is shown, so that selections and scrolling survive. */
export const show = (element: Element, markup: Markup): void => {
  const text = markup.toString();
  if (shownMarkup.get(element) === withoutRelativeTimes(text)) return;
  shownMarkup.set(element, withoutRelativeTimes(text));
  const focused = element.contains(document.activeElement);
  const { focus } = (document.activeElement as HTMLElement | null)?.dataset ?? {};
  const parts = () => [...element.querySelectorAll<HTMLDetailsElement>('details[data-key]')];
  // What the reader has opened or closed stays so. Otherwise a part that begins to fail opens.
  const chosen = new Map(
    parts()
      .filter(({ open, dataset }) => open !== (dataset.drawn === 'true'))
      .map(({ open, dataset }) => [dataset.key, open]),
  );
  element.innerHTML = policy ? policy.createHTML(text) : text;
  for (const details of parts()) {
    details.dataset.drawn = String(details.open);
    details.open = chosen.get(details.dataset.key) ?? details.open;
  }
  // The scrolling element or the button had the focus and was replaced.
  const selector = focus === undefined ? '[tabindex]' : `[data-focus="${CSS.escape(focus)}"]`;
  if (focused) element.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
};

const withoutRelativeTimes = (text: string): string => text.replaceAll(/(<time [^>]*>)[^<]*/g, '$1');

export const updateTimes = (now: number): void => {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-words]')) {
    const format = RELATIVE_TIMES[element.dataset.words as keyof typeof RELATIVE_TIMES];
    const text = format(Date.parse(element.dateTime), now);
    if (element.textContent !== text) element.textContent = text;
  }
};

/** Hides the empty cards of an unknown subject, because their empty lists would read as good news about it. */
export const showSubjectIsKnown = (isKnown: boolean, isFound = isKnown): void => {
  elementById('content').classList.toggle('unknown', !isKnown);
  // A test now says itself that the account does not have the subject.
  elementById('subject-acts').hidden = !isFound;
};

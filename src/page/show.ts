// Puts markup into the page: the one place where text becomes elements, and only what `html` has escaped.

import { WORDS } from './format.ts';
import type { Markup } from './html.ts';

/** Browsers that know Trusted Types let no other policy than this make elements of text. */
const policy = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: object): { createHTML(text: string): string } };
  }
).trustedTypes?.createPolicy('proxywatch', { createHTML: (text: string) => text });

/** The element with that id, which the server's page has. */
export const part = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found as T;
};

const shown = new WeakMap<Element, string>();

/** Leaves alone what is there already, so that selections and scrolling survive; times are kept apart from that. */
export const show = (element: Element, markup: Markup): void => {
  const text = markup.toString();
  if (shown.get(element) === withoutWords(text)) return;
  shown.set(element, withoutWords(text));
  const focused = element.contains(document.activeElement);
  const open = [...element.querySelectorAll<HTMLDetailsElement>('details[open]')].map(
    ({ dataset }) => dataset.key,
  );
  element.innerHTML = policy ? policy.createHTML(text) : text;
  for (const details of element.querySelectorAll('details'))
    details.open = open.includes(details.dataset.key);
  // What scrolls had the focus and is there anew.
  if (focused) element.querySelector<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
};

const withoutWords = (text: string): string => text.replaceAll(/(<time [^>]*>)[^<]*/g, '$1');

/** Says anew how far all times of the page are from now. */
export const updateTimes = (now: number): void => {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-words]')) {
    const words = WORDS[element.dataset.words as keyof typeof WORDS](Date.parse(element.dateTime), now);
    if (element.textContent !== words) element.textContent = words;
  }
};

// Draws the badge of a public page: its title, and the share of the proxies that work.

import { percent } from '../../page/format.ts';
import { html } from '../../page/html.ts';
import { type AccountState, isPartlyUnknown, type State, shareUp, stateOfShare } from './account-state.ts';

const COLOURS: Readonly<Record<State, string>> = {
  operational: '#17693a',
  degraded: '#8a5200',
  outage: '#a81b26',
  unknown: '#566272',
};

/** The images that a badge is shown in have no fonts of their own, so the widths are estimates (px). */
const CHARACTER = 6.8;
const PADDING = 12;
const HEIGHT = 20;

export const badgeText = (accounts: readonly AccountState[]): string => {
  const counts = accounts.map(({ proxies }) => proxies);
  const share = shareUp(counts);
  if (share === null) return 'unknown';
  return `${percent(share)} up${isPartlyUnknown(counts) ? ', rest unknown' : ''}`;
};

export const badgeSvg = (title: string, accounts: readonly AccountState[]): string => {
  const text = badgeText(accounts);
  const [left, right] = [title, text].map((each) => Math.ceil(each.length * CHARACTER + PADDING)) as [
    number,
    number,
  ];
  const colour = COLOURS[stateOfShare(shareUp(accounts.map(({ proxies }) => proxies)))];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${title}: ${text}">
<title>${title}: ${text}</title>
<rect width="${left}" height="${HEIGHT}" fill="#3a424d"/><rect x="${left}" width="${right}" height="${HEIGHT}" fill="${colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${title}</text><text x="${left + right / 2}" y="14">${text}</text></g>
</svg>
`.toString();
};

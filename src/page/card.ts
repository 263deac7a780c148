// Builds the frames that sections of a page fill: cards that the reader can fold, plots, and the choice of the range.

import { html, type Markup, type Value } from './html.ts';
import { RANGE_NAMES } from './ranges.ts';

interface Card {
  /** The id of the heading, which links on the page lead to. */
  readonly id: string;
  readonly title: Value;
  readonly controls?: Value;
}

/** Returns a section with a heading that folds it, and its controls below the heading. */
export const card = ({ id, title, controls = null }: Card, content: Value): Markup => html`
<section class="script-only card" aria-labelledby="${id}"><details class="fold" open><summary><h2 id="${id}">${title}</h2></summary>
${controls === null ? null : html`<div class="controls">${controls}</div>`}
${content}
</details></section>`;

/** Returns an empty figure. `keys` are the names of colours in the style sheet, and what their lines show. */
export const figure = (id: string, caption: Value, keys: Readonly<Record<string, string>> = {}): Markup =>
  html`<figure id="${id}"><figcaption>${caption} ${Object.entries(keys).map(
    ([colour, text]) => html`<span class="key ${colour}">${text}</span> `,
  )}<span class="readout"></span></figcaption><div class="frame" aria-hidden="true"></div></figure>`;

/** The range of all plots of a page. */
export const rangeControl = html`<div class="range"><fieldset class="segments"><legend class="unseen">Range</legend>
${RANGE_NAMES.map((name) => html`<label><input type="radio" name="range" value="${name}"><span>${name.replace(/(?=[hd])/, ' ')}</span></label>`)}
</fieldset>
<details class="other-range"><summary>Other range<span id="range-text"></span></summary>
<div class="controls"><label>From <input type="datetime-local" id="range-from"></label>
<label>To <input type="datetime-local" id="range-to"></label>
<button type="button" id="range-show">Show</button></div><p id="range-error" role="alert"></p></details></div>`;

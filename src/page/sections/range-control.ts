// Lets the reader choose the range of all plots: by buttons, by two times, or by dragging in a plot.

import { radiosOf, segments } from '../choice.ts';
import { fromInput, toInput } from '../format.ts';
import { html } from '../html.ts';
import { chooseCustomRange, chooseRange, chosenRange, chosenRangeName } from '../range.ts';
import { RANGE_NAMES, validRange } from '../ranges.ts';
import { elementById } from '../show.ts';

/** The range of all plots of a page. */
export const rangeControl = html`<div class="range">${segments('range', 'Range', Object.fromEntries(RANGE_NAMES.map((name) => [name, name.replace(/(?=[hd])/, ' ')])))}
<details class="other-range"><summary>Other range<span id="range-text"></span></summary>
<div class="controls"><label>From <input type="datetime-local" id="range-from"></label>
<label>To <input type="datetime-local" id="range-to"></label>
<button type="button" id="range-show">Show</button></div><p id="range-error" role="alert"></p></details></div>`;

const WRONG_RANGE = 'Enter a start in the past, and an end after it. proxywatch keeps at most 400 days.';

/** `onChange` is called when the reader chooses a range, or goes back to an earlier one. */
export const setUpRange = (onChange: () => void): void => {
  const buttons = radiosOf('range');
  for (const button of buttons)
    button.addEventListener('change', () => {
      const name = RANGE_NAMES.find((each) => each === button.value);
      if (name) chooseRange(name);
      showRange(buttons);
      onChange();
    });
  elementById('range-show').addEventListener('click', () => {
    const [from = null, to = null] = [startInput(), endInput()].map(({ value }) => fromInput(value));
    const isValid = from !== null && to !== null && validRange(from, to) !== null;
    if (isValid) zoomTo(from, to);
    else elementById('range-error').textContent = WRONG_RANGE;
  });
  addEventListener('popstate', () => {
    showRange(buttons);
    onChange();
  });
  onZoom = () => {
    showRange(buttons);
    onChange();
  };
  showRange(buttons);
};

let onZoom = (): void => {};

/** Chooses a range with these ends (ms), for all plots. */
export const zoomTo = (from: number, to: number): void => {
  chooseCustomRange(from, to);
  onZoom();
};

const startInput = () => elementById<HTMLInputElement>('range-from');
const endInput = () => elementById<HTMLInputElement>('range-to');

const showRange = (buttons: readonly HTMLInputElement[]): void => {
  elementById('range-error').textContent = '';
  const name = chosenRangeName();
  for (const button of buttons) button.checked = button.value === name;
  const { from, to } = chosenRange();
  [startInput().value, endInput().value] = [toInput(from), toInput(to ?? Date.now())];
  elementById('range-text').textContent =
    name === null ? `${startInput().value.replace('T', ' ')} to ${endInput().value.replace('T', ' ')}` : '';
};

// Keeps the reader's choices in the page's address, so that it can be shared and survives a reload.

import { html, type Markup } from './html.ts';

/** Returns a group of radio buttons that looks like one control. The first of the values is checked. */
export const segments = (name: string, legend: string, texts: Readonly<Record<string, string>>): Markup =>
  html`<fieldset class="segments" id="${name}"><legend class="unseen">${legend}</legend>${Object.entries(
    texts,
  ).map(
    ([value, text], index) =>
      html`<label><input type="radio" name="${name}" value="${value}"${index === 0 ? html` checked` : null}><span>${text}</span></label>`,
  )}</fieldset>`;

export const radiosOf = (name: string): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>(`input[name=${name}]`),
];

export const checkedOf = (name: string): string | undefined =>
  radiosOf(name).find(({ checked }) => checked)?.value;

export const chosen = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** Sets parameters of the address, and removes empty ones, which are the default. With `push`, the back button undoes it. */
export const choose = (
  values: Readonly<Record<string, string>>,
  step: 'replace' | 'push' = 'replace',
): void => {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(values))
    if (value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  if (step === 'push') history.pushState(history.state, '', address);
  else history.replaceState(history.state, '', address);
};

type Control = HTMLSelectElement | HTMLInputElement;

/** Keeps the value of a control in the address, and calls `change` when the reader chooses another, or goes back to it. */
export const bindChoice = (name: string, controls: readonly Control[], change: () => void): void => {
  const showChosen = (): void => showValue(controls, chosen(name) ?? '');
  for (const control of controls)
    control.addEventListener('change', () => {
      choose({ [name]: control.value });
      change();
    });
  addEventListener('popstate', () => {
    if (shownValue(controls) === (chosen(name) ?? '')) return;
    showChosen();
    change();
  });
  showChosen();
};

const isRadio = (control: Control): control is HTMLInputElement => control.type === 'radio';

const shownValue = (controls: readonly Control[]): string | undefined =>
  controls.find((control) => !isRadio(control) || control.checked)?.value;

/** A value that no radio button has, such as the default in words, chooses the default. */
const showValue = (controls: readonly Control[], value: string): void => {
  const known = controls.some((control) => !isRadio(control) || control.value === value) ? value : '';
  for (const control of controls)
    if (isRadio(control)) control.checked = control.value === known;
    else control.value = known;
};

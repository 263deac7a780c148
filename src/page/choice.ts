// Keeps the reader's choices in the page's address, so that it can be shared and survives a reload.

export const chosen = (name: string): string | null => new URLSearchParams(location.search).get(name);

/**
 * Sets parameters of the address, and removes those whose value is empty, which is the default. With `push`, the back
 * button of the browser leads to the choices before.
 */
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

/**
 * Keeps the value of a select or a group of radio buttons in the address, and calls `change` when the reader chooses
 * another, or goes back to it.
 */
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

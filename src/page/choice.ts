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

/** Keeps the value of a select or a group of radio buttons in the address, and calls `change` when it changes. */
export const bindChoice = (
  name: string,
  controls: readonly (HTMLSelectElement | HTMLInputElement)[],
  change: () => void,
): void => {
  const inAddress = chosen(name) ?? '';
  // A value that no radio button has, such as the default in words, chooses the default.
  const isRadio = controls.some(({ type }) => type === 'radio');
  const value = !isRadio || controls.some((control) => control.value === inAddress) ? inAddress : '';
  for (const control of controls) {
    if (control instanceof HTMLInputElement && control.type === 'radio')
      control.checked = control.value === value;
    else control.value = value;
    control.addEventListener('change', () => {
      choose({ [name]: control.value });
      change();
    });
  }
};

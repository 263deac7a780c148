// What the reader has chosen, kept in the page's address so that it can be sent to others and survives a reload.

export const chosen = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** An empty value is the default and leaves the address short. */
export const choose = (name: string, value: string): void => {
  const address = new URL(location.href);
  if (value === '') address.searchParams.delete(name);
  else address.searchParams.set(name, value);
  history.replaceState(null, '', address);
};

/** A select or a group of radio buttons whose value is kept in the address; `change` hears of another one. */
export const bindChoice = (
  name: string,
  controls: readonly (HTMLSelectElement | HTMLInputElement)[],
  change: () => void,
): void => {
  const value = chosen(name) ?? '';
  for (const control of controls) {
    if (control instanceof HTMLInputElement && control.type === 'radio')
      control.checked = control.value === value;
    else control.value = value;
    control.addEventListener('change', () => {
      choose(name, control.value);
      change();
    });
  }
};

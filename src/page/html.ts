// Builds markup and escapes every value that is not markup already.

/** Only `html` and `verbatim` create markup. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** The values of a template. Null shows nothing; a list shows its items one after another. */
export type Value = Markup | string | number | null | readonly Value[];

/** A template tag. Attributes must be quoted. */
export const html = (texts: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(String.raw({ raw: texts }, ...values.map(escaped)));

/** Puts a text of the program itself into the page without escaping. */
export const verbatim = (text: string): Markup => new Markup(text);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (value: Value): string => {
  if (value === null) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(escaped).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
};

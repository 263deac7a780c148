// Defines the error that holds all mistakes of a configuration at once, each with its location in the file.

export type Path = readonly (string | number)[];

export interface Mistake {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** YAML path such as `accounts[0].traffic.reread`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected and, unless it is a secret, what was found. */
  readonly message: string;
}

/** A mistake in settings, before its location in the file is known. */
export interface SettingMistake {
  readonly path: Path;
  readonly message: string;
}

export const mistakeIf = (isWrong: unknown, path: Path, message: string): SettingMistake[] =>
  isWrong ? [{ path, message }] : [];

/** Returns the mistake of a receiver that has the name of an earlier one. */
export const repeatedName = (
  receivers: readonly { readonly name: string }[],
  index: number,
): SettingMistake[] => {
  const name = receivers[index]?.name;
  const isRepeated = receivers.slice(0, index).some((earlier) => earlier.name === name);
  return mistakeIf(isRepeated, ['name'], `another receiver is called "${name}" already`);
};

/** Returns the mistakes of a part of the settings, with the path of the part before theirs. */
export const mistakesBelow = (part: Path, mistakes: readonly SettingMistake[]): SettingMistake[] =>
  mistakes.map(({ path, message }) => ({ path: [...part, ...path], message }));

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[], options?: ErrorOptions) {
    super(mistakes.map(describeMistake).join('\n'), options);
    this.mistakes = mistakes;
  }
}

/** One line: `config.yaml:12:5: accounts[0].traffic.reread: expected …`. */
export const describeMistake = ({ file, line, column, path, message }: Mistake): string =>
  `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;

export const describePath = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${describeKey(step)}`))
    .join('')
    .replace(/^\./, '');

// A typing mistake can turn a proxy string or an address with a token into a key, so only plain words are shown.
const describeKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : '…');

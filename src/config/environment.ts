// `${NAME}`, `${NAME:-default}` and `$$` in text: taken after the YAML is parsed, so that no value can change its shape.

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expansion {
  readonly text: string;
  /** Whether any of it came out of a variable. */
  readonly expanded: boolean;
  readonly mistakes: readonly string[];
}

// An opening brace that begins nothing sound matches too, to be complained about.
const REFERENCE = /\$(?:(\$)|\{(?:([A-Za-z_]\w*)(?::-([^}]*))?\})?)/g;
const LONE_REFERENCE = /^\$\{[^}]*\}$/;

export const expand = (text: string, env: Environment): Expansion => {
  const mistakes: string[] = [];
  let expanded = false;
  const replace = (_match: string, dollar?: string, name?: string, fallback?: string): string => {
    if (dollar) return dollar;
    expanded = true;
    const value = name === undefined ? undefined : env[name] || (fallback ?? env[name]);
    if (value === undefined) mistakes.push(explain(name));
    return value ?? '';
  };
  return { text: text.replace(REFERENCE, replace), expanded, mistakes };
};

/** Whether the whole text is one reference, so that its value may be more than text. */
export const isLoneReference = (text: string): boolean => LONE_REFERENCE.test(text);

const explain = (name: string | undefined): string =>
  name === undefined
    ? `expected $\{NAME} or $\{NAME:-default}; a dollar alone is written $$`
    : `environment variable ${name} is not set`;

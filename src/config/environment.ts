// Replaces `${NAME}`, `${NAME:-default}` and `$$` in text. It runs on parsed YAML, so no value can change the structure.

export type Environment = Readonly<Record<string, string | undefined>>;

// It also matches an opening brace without a valid name, so that this is reported as a mistake.
const REFERENCE = /\$(?:(\$)|\{(?:([A-Za-z_]\w*)(?::-([^}]*))?\})?)/g;
const SINGLE_REFERENCE = /^\$\{[^}]*\}$/;

/** `hasVariables`: whether any part of the text comes from a variable. */
export const expandVariables = (text: string, env: Environment) => {
  const mistakes: string[] = [];
  let hasVariables = false;
  const replace = (_match: string, dollar?: string, name?: string, fallback?: string): string => {
    if (dollar) return dollar;
    hasVariables = true;
    const value = name === undefined ? undefined : env[name] || (fallback ?? env[name]);
    if (value === undefined) mistakes.push(mistakeOf(name));
    return value ?? '';
  };
  return { text: text.replace(REFERENCE, replace), hasVariables, mistakes };
};

/** Whether the whole text is one reference, so that its value may also be a number, boolean or null. */
export const isSingleReference = (text: string): boolean => SINGLE_REFERENCE.test(text);

const mistakeOf = (name: string | undefined): string =>
  name === undefined
    ? `expected $\{NAME} or $\{NAME:-default}; write $$ for a single dollar`
    : `environment variable ${name} is not set`;

// Formats the end of a command's help: its exit codes and an example.

export const helpEnd = (exitCodes: Readonly<Record<number, string>>, example: string): string =>
  [
    '',
    'Exit codes:',
    ...Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`),
    '',
    'Example:',
    `  proxywatch ${example}`,
  ].join('\n');

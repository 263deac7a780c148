// Builds the files with rules that the mixin for jsonnet imports. `vitest run test/prometheus -u` writes them.
// jsonnet cannot read the YAML files: `std.parseYaml` of jsonnet 0.18 fails on texts of several lines.

import { parse } from 'yaml';

/** Returns the same rules as JSON, which is also jsonnet. */
export const rulesForJsonnet = (yaml: string): string => `${JSON.stringify(parse(yaml), null, 2)}\n`;

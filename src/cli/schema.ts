// proxywatch dev schema: prints the JSON Schema of the configuration, for editors.

import { configJsonSchema } from '../config/json-schema.ts';
import { settingsSchema } from '../daemon/settings.ts';
import type { CommandContext, ExitCode } from './context.ts';

export const schema = async ({ stdout }: CommandContext): Promise<ExitCode> => {
  stdout.write(`${JSON.stringify(configJsonSchema(settingsSchema), null, 2)}\n`);
  return 0;
};

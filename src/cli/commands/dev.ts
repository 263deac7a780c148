// Declares the commands that help to write a configuration, and to try it without an account.

import { listenOption, optional } from '../options.ts';
import type { CommandGroup } from './command.ts';

export const DEV: CommandGroup = {
  name: 'dev',
  description: 'Write a configuration, and try it without an account.',
  commands: [
    {
      name: 'schema',
      description: 'Print the JSON Schema of the configuration, for editors.',
      exitCodes: { 0: 'the command printed the schema' },
      examples: ['> proxywatch.schema.json'],
      load: async () => (await import('../dev.ts')).schema,
    },
    {
      name: 'simulate',
      summary: 'Run only the simulated provider.',
      description:
        'Run only the simulated provider. If you give no scenario, the keys are demo-public and demo-private.',
      options: [
        listenOption('127.0.0.1:8080'),
        optional('--scenario <file>', 'file that describes the simulated account (YAML)'),
        optional('--proxies', 'also start the proxies of the simulated account, on loopback'),
      ],
      exitCodes: {
        0: 'a signal stopped the simulator',
        1: 'the simulator could not start, or the scenario has errors',
      },
      examples: ['--listen 127.0.0.1:8080'],
      load: async () => (await import('../dev.ts')).simulate,
    },
  ],
};

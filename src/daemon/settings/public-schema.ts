// Defines the settings of public pages, which the server shows without a login to everyone who knows their token.

import { z } from 'zod';
import { mistakeIf, mistakesBelow, type SettingMistake } from '../../config/config-error.ts';
import { objectWithSecrets, secret } from '../../config/primitives.ts';

const EXPECTED = 'at least 32 random letters, digits, - or _, for example from: openssl rand -hex 32';
/** 32 random hexadecimal digits have fewer different ones in less than one of a million cases. */
const MIN_DISTINCT = 8;

const isToken = (text: string): boolean => /^[\w-]{32,200}$/.test(text) && new Set(text).size >= MIN_DISTINCT;

export const publicPages = z
  .array(
    objectWithSecrets(
      {
        title: z
          .string()
          .min(1)
          .max(60)
          .default('Proxies')
          .describe('Title of the page, and text on the left of its badge'),
        accounts: z
          .array(z.string())
          .min(1, 'expected at least one account')
          .describe('Accounts whose state and uptime the page shows, with their names'),
      },
      { token: secret(EXPECTED, isToken).describe('Last part of the address of the page, and of its badge') },
    ),
  )
  .prefault([])
  .describe('Status pages to share, which need no login, also with a web_config_file');

type PublicPages = z.output<typeof publicPages>;

/** `known` are the names of all accounts. */
export const publicPageMistakes = (pages: PublicPages, known: readonly string[]): SettingMistake[] =>
  pages.flatMap(({ accounts, token }, index) =>
    mistakesBelow(
      ['server', 'public', index],
      [
        ...accounts.flatMap((name, place) =>
          mistakeIf(!known.includes(name), ['accounts', place], `no account has the name "${name}"`),
        ),
        ...mistakeIf(
          pages.slice(0, index).some((earlier) => earlier.token.reveal() === token.reveal()),
          ['token'],
          'another public page has the same token',
        ),
      ],
    ),
  );

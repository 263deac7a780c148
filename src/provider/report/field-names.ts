// Makes the names of unknown fields safe to show, because a name may be data, such as that of a user.

import { API_WORDS } from './api-words.ts';

const FIELD_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Replaces each word that is not an ordinary word of APIs by `*`, and a name that is not a field's name as a
 * whole.
 */
export const safeName = (name: string): string =>
  FIELD_NAME.test(name)
    ? name
        .split('_')
        .map((word) => (API_WORDS.has(word) ? word : '*'))
        .join('_')
    : '*';

// Renders which shard a page belongs to, with links to the pages of the others.

import type { z } from 'zod';
import { html, type Markup } from '../page/html.ts';
import type { shards as shardsSchema } from './api/shards-status.ts';

type Shards = z.output<typeof shardsSchema>;

/** A daemon without shards shows nothing. */
export const shardNav = (shards: Shards): Markup | null => {
  const { shard: own, shards: count, urls } = shards;
  if (count === 1) return null;
  const items = Array.from({ length: count }, (_, shard) => {
    const [text, title] = [`Shard ${shard}`, accountsOf(shards, shard)];
    if (shard === own) return html`<li><a href="./" aria-current="true" title="${title}">${text}</a></li>`;
    const url = urls[shard];
    return url === undefined ? null : html`<li><a href="${url}" title="${title}">${text}</a></li>`;
  });
  return html`<nav aria-label="Shards" class="views"><ul>${items}</ul></nav>`;
};

const accountsOf = ({ accounts }: Shards, shard: number): string =>
  accounts
    .filter((each) => each.shard === shard)
    .map(({ account }) => account)
    .join(', ') || 'no accounts';

/** Says why there is no account to show. */
export const noAccountText = ({ shards }: Shards): string =>
  shards === 1 ? 'The configuration has no account.' : 'This shard has no accounts.';

// Proposes prices for the section prices of an account, from what the provider sells.

import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { mayBeAbsent } from '../../provider/errors.ts';
import { type ProductPrice, readProducts } from '../../provider/resources/products.ts';
import { type AccountSession, adviceOn, captureError, mustStopRequests } from './account-session.ts';
import { type CheckResult, failed, ok, unknown } from './check-result.ts';

const ENDPOINT = 'product/search';
const UNIT_NOTE = 'The provider does not document whether a unit is GB or GiB: compare with an invoice.';

/** Reads the prices of the product types whose ledger is polled, or that have a price. */
export async function* checkPrices(session: AccountSession): AsyncGenerator<CheckResult> {
  const { account } = session;
  for (const type of METERED_TYPES) {
    const isPriced = account.prices !== false && account.prices[type] !== undefined;
    if ((!account[`${type}_ledger`] && !isPriced) || mustStopRequests(session)) continue;
    const subject = `${account.name}: price of ${type} data`;
    const prices: ProductPrice[] = [];
    const error = await captureError(session, ENDPOINT, async (signal) => {
      for await (const { items } of readProducts(session.client, type, { signal })) {
        prices.push(...items.flatMap((product) => (product.isActive === false ? [] : product.prices)));
        return;
      }
    });
    const settings = [...new Set(prices.map(settingOf).filter((setting) => setting !== undefined))];
    // Without the section, nobody has asked for prices.
    if (settings.length === 0 && account.prices === false) continue;
    if (error && mayBeAbsent(error)) yield unknown(subject, 'the provider shows this account no prices');
    else if (error) yield failed(subject, error.message, adviceOn(error, []));
    else if (settings.length === 0) yield unknown(subject, 'the provider names no price of a unit');
    else yield ok(subject, proposalOf(type, settings), UNIT_NOTE);
  }
}

const proposalOf = (type: MeteredType, settings: readonly string[]): string =>
  `by the provider's products, a line of the section prices is "${type}: ${settings.join(`" or "${type}: `)}"`;

/** Writes a price as its setting; undefined if it is not the price of a unit. */
const settingOf = ({ perUnit, tierType, tiers }: ProductPrice): string | undefined => {
  if (!tiers?.length) return perUnit === null ? undefined : String(perUnit / 100);
  if (tierType !== 'volume' && tierType !== 'graduated') return undefined;
  const texts = tiers.map(({ upTo, amount }) =>
    upTo === null ? `{price: ${amount / 100}}` : `{up_to: ${upTo}, price: ${amount / 100}}`,
  );
  return `{type: ${tierType}, tiers: [${texts.join(', ')}]}`;
};

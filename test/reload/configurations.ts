// Random configurations, sound and unsound, of a few accounts at two addresses of one simulated provider.

import { draw } from '../../src/simulator/random.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';
import { entryOf } from '../collectors/proxy-tests/tests-harness.ts';
import { accountOf, type Sections } from './support.ts';

export interface Drawn {
  readonly text: string;
  /** What is wrong with it; undefined when it is sound. */
  readonly fault: string | undefined;
}

const ACCOUNTS = ['a', 'b', 'c'];
const SCHEDULES = ['* * * * *', '*/2 * * * *', '*/30 * * * * *', '*/5 * * * *'];
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'];
const GRAPHS = [
  { name: 'shop', hostname: 'shop.example' },
  { name: 'isp', product_type: 'isp', schedule: '*/3 * * * *' },
];
const FAULTY = 0.3;

export class Configurations {
  readonly #simulators: readonly Simulator[];
  readonly #seed: number;
  #draws = 0;
  /** Accounts that have had the graph `shop`: with another filter it can't be any more. */
  readonly #withShop = new Set<string>();

  constructor(seed: number, simulators: readonly Simulator[]) {
    this.#seed = seed;
    this.#simulators = simulators;
  }

  next(): Drawn {
    const names = ACCOUNTS.filter(() => this.#chance(0.6));
    const accounts = (names.length > 0 ? names : ['a']).map((name) => this.#account(name));
    const config = {
      accounts,
      schedule_time_zone: this.#of(ZONES),
      log: { level: this.#of(['info', 'debug']) },
    };
    if (this.#chance(FAULTY)) return this.#spoil(config);
    for (const { name, graphs } of accounts.map(graphsIn))
      if (graphs.includes('shop')) this.#withShop.add(name);
    return { text: JSON.stringify(config), fault: undefined };
  }

  /** From 0 to below 1. */
  draw(): number {
    this.#draws += 1;
    return draw(this.#seed, this.#draws);
  }

  #account(name: string): Sections {
    const simulator = this.#of(this.#simulators);
    return accountOf(simulator, {
      name,
      ...(this.#chance(0.1) ? { private_key: 'wrong' } : {}),
      requests_per_second: this.#of([1_000_000, 500_000]),
      time_zone: this.#chance(0.9) ? 'UTC' : this.#of(ZONES),
      traffic: this.#section({
        ...{ catch_up: '10m', reread: '10m' },
        // Deep rereads would be most of the work.
        deep_reread: { span: '10m' },
        graphs: GRAPHS.filter(() => this.#chance(0.5)),
      }),
      residential_ledger: this.#section({ usage_reasons: this.#of([['usage'], ['usage', 'adjustment']]) }),
      proxy_users: this.#section({ select: { ids: this.#of([[], ['user-0']]) } }),
      proxy_tests: this.#section({
        urls: [this.#of(['https://www.example.com/', 'https://shop.example/'])],
        proxies: [entryOf(0), entryOf(this.#of([1, 2]))],
      }),
    });
  }

  #section(options: Sections): false | Sections {
    return this.#chance(0.3) ? false : { schedule: this.#of(SCHEDULES), ...options };
  }

  #spoil(config: { readonly accounts: readonly Sections[] }): Drawn {
    const fault = this.#of(['syntax', 'key', 'none', 'twice', 'file', 'graph']);
    const [first = {}] = config.accounts;
    const text = (changed: Sections): string => JSON.stringify({ ...config, ...changed });
    switch (fault) {
      case 'syntax':
        return { fault, text: text({}).slice(0, -2) };
      case 'key':
        return { fault, text: text({ sevrer: {} }) };
      case 'none':
        return { fault, text: text({ accounts: [] }) };
      case 'twice':
        return { fault, text: text({ accounts: [...config.accounts, first] }) };
      case 'file':
        return {
          fault,
          text: text({ accounts: [{ ...first, private_key: undefined, private_key_file: '/nowhere' }] }),
        };
      default: {
        const [name = 'a'] = this.#withShop;
        const graphs = [{ name: 'shop', hostname: 'api.example.com' }];
        const fault = this.#withShop.size > 0 ? 'graph' : undefined;
        return fault
          ? { fault, text: text({ accounts: [{ ...first, name, traffic: { graphs } }] }) }
          : this.next();
      }
    }
  }

  #chance(probability: number): boolean {
    return this.draw() < probability;
  }

  #of<T>(items: readonly T[]): T {
    return items[Math.floor(this.draw() * items.length)] as T;
  }
}

const graphsIn = ({
  name,
  traffic,
}: Sections): { readonly name: string; readonly graphs: readonly string[] } => {
  const { graphs = [] } = (traffic || {}) as { graphs?: readonly { name: string }[] };
  return { name: String(name), graphs: graphs.map((graph) => graph.name) };
};

// Builds the notification about a group. It grows with each part of a difference, and keeps its id.

import { randomUUID } from 'node:crypto';
import type { NewNotification } from '../../store/alert-store.ts';
import type { AlertDescriber, NotificationContent } from '../notification.ts';
import type { Difference } from './difference.ts';
import type { Group } from './group.ts';
import type { Ledger } from './ledger.ts';
import { firstListed, MAX_LISTED_ALERTS } from './listed.ts';
import type { Others } from './others.ts';
import type { KeyedAlert } from './told-key.ts';

interface Contents {
  readonly describe: AlertDescriber;
  /** Alerts that the receiver knows and that still fire, in the order in which they are listed. */
  readonly others: Pick<Others, 'alerts' | 'muted'>;
}

export class GroupNotification {
  readonly #ledger: Ledger;
  readonly #group: Group;
  readonly #now: number;
  readonly #contents: Contents;
  readonly #id = randomUUID();
  #counts: Pick<NotificationContent, 'firing' | 'silenced' | 'added' | 'risen' | 'resolved'>;
  #added: readonly KeyedAlert[] = [];
  #risen: readonly KeyedAlert[] = [];
  #resolved: readonly KeyedAlert[] = [];

  constructor(ledger: Ledger, group: Group, now: number, contents: Contents) {
    this.#ledger = ledger;
    this.#group = group;
    this.#now = now;
    this.#contents = contents;
    const { muted: silenced } = contents.others;
    this.#counts = { firing: group.told.size - silenced, silenced, added: 0, risen: 0, resolved: 0 };
  }

  /** Adds a part and returns the notification so far. */
  add({ added, risen, restored, resolved: ended }: Difference): NewNotification {
    const { receiver, route } = this.#ledger;
    const resolved = route.options.send_resolved ? ended : [];
    const begun = [...added, ...risen, ...restored].filter(({ key }) => !this.#group.told.has(key));
    this.#counts = {
      ...this.#counts,
      firing: this.#counts.firing + begun.length,
      added: this.#counts.added + added.length,
      risen: this.#counts.risen + risen.length,
      resolved: this.#counts.resolved + resolved.length,
    };
    this.#added = firstListed([...this.#added, ...added], MAX_LISTED_ALERTS);
    this.#risen = firstListed([...this.#risen, ...risen], MAX_LISTED_ALERTS);
    this.#resolved = firstListed([...this.#resolved, ...resolved], MAX_LISTED_ALERTS);
    return { receiver, id: this.#id, createdAt: this.#now, body: JSON.stringify(this.#content()) };
  }

  #content(): NotificationContent {
    const { describe, others } = this.#contents;
    const listed = [...this.#added, ...this.#risen, ...this.#resolved, ...others.alerts].slice(
      0,
      MAX_LISTED_ALERTS,
    );
    const { key: groupKey, labels: groupLabels } = this.#group;
    return { groupKey, groupLabels, ...this.#counts, alerts: listed.map(({ alert }) => describe(alert)) };
  }
}

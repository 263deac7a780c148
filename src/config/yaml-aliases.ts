// Finds the nodes that the aliases of a YAML document stand for, and limits how much text they repeat.

import { type Alias, type Document, isAlias, type Node, visit } from 'yaml';

/**
 * The most nodes that aliases may repeat. A few nested aliases would otherwise stand for more nodes than fit into
 * memory. The limit is far above what accounts with the same settings need.
 */
const MAX_REPEATED_NODES = 100_000;

export class Aliases {
  readonly #targets = new Map<Alias, Node | undefined>();
  #depth = 0;
  #repeatedNodes = 0;

  /** Walks the document once, because the parser's own lookup walks it again for each alias. */
  constructor(document: Document) {
    const anchors = new Map<string, Node>();
    visit(document, {
      Node: (_key, node) => {
        if (isAlias(node)) this.#targets.set(node, anchors.get(node.source));
        else if (node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
  }

  /** Returns the newest node before the alias with its anchor. */
  targetOf(alias: Alias): Node | undefined {
    return this.#targets.get(alias);
  }

  /** Runs `build`, which calls `countNode` for each node that it builds. */
  repeat<T>(build: () => T): T {
    this.#depth += 1;
    try {
      return build();
    } finally {
      this.#depth -= 1;
    }
  }

  /** Whether the current node is inside an alias. */
  get isRepeating(): boolean {
    return this.#depth > 0;
  }

  /** Whether aliases repeat too many nodes, so that the built tree has gaps. */
  get isExhausted(): boolean {
    return this.#repeatedNodes > MAX_REPEATED_NODES;
  }

  /** Counts a node that is built inside an alias. Returns false from the first one on that is too many. */
  countNode(): boolean {
    if (!this.isRepeating) return true;
    this.#repeatedNodes += 1;
    return !this.isExhausted;
  }
}

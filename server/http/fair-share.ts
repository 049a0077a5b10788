/** Something that a client can hold for as long as it likes, such as a connection. */
export interface Holding {
  /** Who holds it, see `visitorAddress`. */
  readonly address: string;
  /** Whether the server waits for the client, and not the client for the server. */
  readonly awaitsClient: boolean;
  /** Takes it from the client. */
  end(): void;
}

/**
 * What clients hold of something that there is only so much of. When all is held, a newcomer gets what was held longest
 * by the address that holds most. So no client can keep others out by holding much, and many clients together have to
 * come faster than others are served.
 */
export class FairShare {
  readonly #most: number;
  readonly #onLoss: () => void;
  /** By address, the one that took or renewed something last at the end; in each set in the same order. */
  readonly #held = new Map<string, Set<Holding>>();
  #size = 0;

  /** @param onLoss is called whenever something is taken from a client */
  constructor(most: number, onLoss: () => void = () => {}) {
    this.#most = most;
    this.#onLoss = onLoss;
  }

  /** False when all is held by clients that wait for the server: then the newcomer's is ended. */
  take(holding: Holding): boolean {
    const isFull = this.#size >= this.#most;
    const loser = isFull ? (this.#findEndable() ?? holding) : undefined;
    if (loser !== holding) this.#append(holding);
    if (loser) {
      this.release(loser);
      this.#onLoss();
      loser.end();
    }
    return loser !== holding;
  }

  /** From now on it counts as held since this moment. */
  renew(holding: Holding): void {
    if (this.#held.get(holding.address)?.has(holding)) {
      this.release(holding);
      this.#append(holding);
    }
  }

  release(holding: Holding): void {
    const { address } = holding;
    const held = this.#held.get(address);
    if (!held?.delete(holding)) return;
    this.#size -= 1;
    if (held.size === 0) this.#held.delete(address);
  }

  #append(holding: Holding): void {
    const { address } = holding;
    const held = this.#held.get(address) ?? new Set();
    this.#held.delete(address);
    this.#held.set(address, held.add(holding));
    this.#size += 1;
  }

  #findEndable(): Holding | undefined {
    let found: Holding | undefined;
    let most = 0;
    for (const held of this.#held.values()) {
      if (held.size <= most) continue;
      const longest = firstThatWaits(held);
      if (!longest) continue;
      found = longest;
      most = held.size;
    }
    return found;
  }
}

function firstThatWaits(held: ReadonlySet<Holding>): Holding | undefined {
  for (const holding of held) if (holding.awaitsClient) return holding;
  return undefined;
}

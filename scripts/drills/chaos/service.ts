import type { Child, ChildOptions } from '#scripts/product/child.ts';

type Watch = Required<Pick<ChildOptions, 'onLine' | 'onCrash'>>;

/** A process that is killed and started again. */
export interface Service {
  start(): Promise<void>;
  /** Asks it to end in order. */
  stop(): Promise<void>;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Keeps it from running, as a machine that swaps does, until it is let go. */
  freeze(): void;
  thaw(): void;
}

interface ServiceOptions {
  launch: (watch: Watch) => Promise<Child>;
  onLine?: (line: string) => void;
  /** Told when it ends without having been killed or stopped. */
  onCrash: (sentence: string) => void;
}

/** A service by the way to launch its process; it does not run yet. */
export function createService({ launch, onLine = () => {}, onCrash }: ServiceOptions): Service {
  let child: Child | undefined;
  let wanted = false;
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined && wanted) process.kill(child.pid, name);
  };
  return {
    async start() {
      wanted = true;
      child = await launch({ onLine, onCrash: (sentence) => wanted && onCrash(sentence) });
    },
    async stop() {
      wanted = false;
      await child?.stop();
      child = undefined;
    },
    async kill() {
      signal('SIGKILL');
      wanted = false;
      await child?.ended;
      child = undefined;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

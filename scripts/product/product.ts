import type { Child, ChildOptions } from './child.ts';
import { type Environment, environmentOf } from './environment.ts';
import { type ServerName, type ServerOptions, startServer } from './launch.ts';
import { findFreePort } from './ports.ts';
import { startRedis } from './redis.ts';

/** A process that can be ended and started again. */
export interface Service {
  readonly pid: number | undefined;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Asks it to end in order. */
  stop(): Promise<void>;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
  /** Keeps it from running, as a machine that swaps does, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/** Redis, app and worker on free ports of this machine. */
export interface Product {
  siteUrl: string;
  /** Of the app. */
  opsUrl: string;
  workerOpsUrl: string;
  redisUrl: string;
  /** Where Redis keeps its file. */
  redisFolder: string;
  env: Environment;
  redis: Service;
  app: Service;
  worker: Service;
  /** What app and worker have written. */
  lines: readonly string[];
  /** Processes that ended by themselves. */
  crashes: readonly string[];
  /** Stops whatever of it runs. */
  close(): Promise<void>;
}

/** Where a product is built, and what it works with. */
export interface ProductOptions extends Pick<ServerOptions, 'build' | 'nodeArgs'> {
  redisFolder: string;
  stripeUrl: string;
  /** Left out where no mail is sent. */
  smtpUrl?: string;
  /** Added to what `environmentOf` gives, or in place of it. */
  env?: Environment;
}

/** Nothing listens there. */
const NO_MAIL_SERVER = 'smtp://127.0.0.1:9';

/** When a process does not start, its last words are its error's message. */
const SHOWN_LINES = 20;

/** The product as it is built in a folder; nothing of it runs yet. */
export async function prepareProduct(options: ProductOptions): Promise<Product> {
  const { build, nodeArgs = [], redisFolder, stripeUrl, smtpUrl = NO_MAIL_SERVER } = options;
  const [sitePort, redisPort] = [await findFreePort(), await findFreePort()];
  const opsPorts = { app: await findFreePort(), worker: await findFreePort() };
  const siteUrl = `http://127.0.0.1:${sitePort}`;
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  const env = environmentOf({ siteUrl, redisUrl, smtpUrl, stripeUrl }, options.env);
  const lines: string[] = [];
  const crashes: string[] = [];
  const onLine = (line: string) => void lines.push(line);
  const serviceOf = (launch: Launch) => createService(launch, (sentence) => void crashes.push(sentence));
  const server = (name: ServerName) =>
    serviceOf((onCrash) => {
      const ownEnv = { ...env, OPS_PORT: String(opsPorts[name]) };
      return startServer(name, { build, nodeArgs, env: ownEnv, onLine, onCrash }).catch((cause) => {
        throw new Error(lines.slice(-SHOWN_LINES).join('\n'), { cause });
      });
    });
  const redis = serviceOf((onCrash) => startRedis({ port: redisPort, folder: redisFolder, onCrash }));
  const [app, worker] = [server('app'), server('worker')];
  return {
    ...{ siteUrl, redisUrl, redisFolder, env },
    opsUrl: `http://127.0.0.1:${opsPorts.app}`,
    workerOpsUrl: `http://127.0.0.1:${opsPorts.worker}`,
    ...{ redis, app, worker, lines, crashes },
    async close() {
      for (const service of [app, worker, redis]) await service.stop();
    },
  };
}

type Launch = (onCrash: NonNullable<ChildOptions['onCrash']>) => Promise<Child>;

/** A service by the way to launch its process; `onCrash` is told when it ends without having been killed or stopped. */
function createService(launch: Launch, onCrash: (sentence: string) => void): Service {
  let child: Child | undefined;
  let wanted = false;
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined && wanted) process.kill(child.pid, name);
  };
  return {
    get pid() {
      return child?.pid;
    },
    async start() {
      wanted = true;
      child = await launch((sentence) => wanted && onCrash(sentence));
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

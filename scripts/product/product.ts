import type { Child, ChildOptions } from './child.ts';
import { type Environment, environmentOf, environmentOfProcess } from './environment.ts';
import { type ServerName, type ServerOptions, startServer } from './launch.ts';
import { findFreePort } from './ports.ts';
import { startRedis } from './redis.ts';

/** A process that can be ended and started again. */
export interface Service {
  readonly pid: number | undefined;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Stops the process gracefully. */
  stop(): Promise<void>;
  /** Ends the process at once, as a power cut does. */
  kill(): Promise<void>;
  /** Suspends the process until `thaw`, like a machine that swaps. */
  freeze(): void;
  thaw(): void;
}

/** One of several apps or workers. */
export interface Server extends Service {
  /** Where a proxy in front of an app reaches it; a worker does not listen there. */
  siteUrl: string;
  opsUrl: string;
  /** What it has written. */
  lines: readonly string[];
}

/** Redis, apps and workers on free ports of this machine. */
export interface Product {
  /** Where visitors go. */
  siteUrl: string;
  /** The ops URL of the first app. */
  opsUrl: string;
  redisUrl: string;
  /** Where Redis keeps its file. */
  redisFolder: string;
  env: Environment;
  redis: Service;
  /** The first app and the first worker; with one of each there are no others. */
  app: Server;
  worker: Server;
  apps: readonly Server[];
  workers: readonly Server[];
  /** What all of them have written. */
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
  /** Absent where no mail is sent. */
  smtpUrl?: string;
  /** The URL of the proxy in front of the apps, if there is one. */
  siteUrl?: string;
  /** How many there are; by default one of each. */
  apps?: number;
  workers?: number;
  /** Variables in addition to those of `environmentOf`, or instead of them. */
  env?: Environment;
}

/** An address at which nothing listens. */
const NO_MAIL_SERVER = 'smtp://127.0.0.1:9';

/** When a process does not start, this many of its last lines are the error's message. */
const SHOWN_LINES = 20;

/** Prepares the product that is built in a folder; nothing runs yet. */
export async function prepareProduct(options: ProductOptions): Promise<Product> {
  const { redisFolder, stripeUrl, smtpUrl = NO_MAIL_SERVER } = options;
  const redisPort = await findFreePort();
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  const sitePort = await findFreePort();
  const siteUrl = options.siteUrl ?? urlAt(sitePort);
  const env = environmentOf({ siteUrl, redisUrl, smtpUrl, stripeUrl }, options.env);
  const lines: string[] = [];
  const crashes: string[] = [];
  const onCrash = (sentence: string) => void crashes.push(sentence);
  const server = async (name: ServerName, port: number): Promise<Server> => {
    const opsPort = await findFreePort();
    const own: string[] = [];
    const onLine = (line: string): void => {
      lines.push(line);
      own.push(line);
    };
    const launch = launcherOf(
      name,
      { ...options, onLine },
      { ...env, PORT: `${port}`, OPS_PORT: `${opsPort}` },
      own,
    );
    return Object.assign(createService(launch, onCrash), {
      siteUrl: urlAt(port),
      opsUrl: urlAt(opsPort),
      lines: own,
    });
  };
  const app = await server('app', sitePort);
  const worker = await server('worker', sitePort);
  const apps = [app];
  while (apps.length < (options.apps ?? 1)) apps.push(await server('app', await findFreePort()));
  const workers = [worker];
  while (workers.length < (options.workers ?? 1)) workers.push(await server('worker', sitePort));
  const redis = createService(
    (crashed) => startRedis({ port: redisPort, folder: redisFolder, onCrash: crashed }),
    onCrash,
  );
  return {
    ...{ siteUrl, opsUrl: app.opsUrl, redisUrl, redisFolder, env },
    ...{ redis, app, worker, apps, workers, lines, crashes },
    async close() {
      await Promise.all([...apps, ...workers].map((service) => service.stop()));
      await redis.stop();
    },
  };
}

function urlAt(port: number): string {
  return `http://127.0.0.1:${port}`;
}

type Launch = (onCrash: NonNullable<ChildOptions['onCrash']>) => Promise<Child>;

/** Starts app or worker; if it does not start, the error contains its last lines. */
function launcherOf(
  name: ServerName,
  { build, nodeArgs = [], onLine }: Pick<ServerOptions, 'build' | 'nodeArgs' | 'onLine'>,
  env: ServerOptions['env'],
  lines: readonly string[],
): Launch {
  const own = { ...environmentOfProcess(name, env), OPS_PORT: env.OPS_PORT };
  return (onCrash) =>
    startServer(name, { build, nodeArgs, env: own, onLine, onCrash }).catch((cause) => {
      throw new Error(lines.slice(-SHOWN_LINES).join('\n'), { cause });
    });
}

/**
 * Makes a service from a function that launches its process; `onCrash` is called when it ends without `kill`
 * or `stop`.
 */
export function createService(launch: Launch, onCrash: (sentence: string) => void): Service {
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

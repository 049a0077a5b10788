import { createService, type Service } from './child.ts';
import { type Environment, environmentOf, environmentOfProcess, NO_MAIL_SERVER } from './environment.ts';
import { type ServerName, type ServerOptions, startServer } from './launch.ts';
import { findFreePort } from './ports.ts';
import { startRedis } from './redis.ts';

export type { Service } from './child.ts';

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

/** When a process does not start, this many of its last lines are the error's message. */
const SHOWN_LINES = 20;

/** Prepares the product that is built in a folder; nothing runs yet. */
export async function prepareProduct(options: ProductOptions): Promise<Product> {
  const { redisFolder, stripeUrl, smtpUrl = NO_MAIL_SERVER, build, nodeArgs } = options;
  const [redisPort, sitePort] = [await findFreePort(), await findFreePort()];
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  const siteUrl = options.siteUrl ?? urlAt(sitePort);
  const env = environmentOf({ siteUrl, redisUrl, smtpUrl, stripeUrl }, options.env);
  const lines: string[] = [];
  const crashes: string[] = [];
  const onCrash = (sentence: string) => void crashes.push(sentence);
  const onLine = (line: string) => void lines.push(line);
  const server = (name: ServerName, port: number) =>
    prepareServer(name, { build, ...(nodeArgs && { nodeArgs }), env, port, onLine, onCrash });
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

interface ServerPreparation extends Pick<ServerOptions, 'build' | 'nodeArgs'> {
  env: Environment;
  port: number;
  onLine?: (line: string) => void;
  onCrash?: (sentence: string) => void;
}

/** Prepares app or worker, with an ops port of its own; if it does not start, the error contains its last lines. */
export async function prepareServer(
  name: ServerName,
  { build, nodeArgs = [], env, port, onLine = () => {}, onCrash = () => {} }: ServerPreparation,
): Promise<Server> {
  const opsPort = String(await findFreePort());
  const own = { ...environmentOfProcess(name, { ...env, PORT: String(port) }), OPS_PORT: opsPort };
  const lines: string[] = [];
  const hear = (line: string): void => {
    lines.push(line);
    onLine(line);
  };
  const service = createService(
    (crashed) =>
      startServer(name, { build, nodeArgs, env: own, onLine: hear, onCrash: crashed }).catch((cause) => {
        throw new Error(lines.slice(-SHOWN_LINES).join('\n'), { cause });
      }),
    onCrash,
  );
  return Object.assign(service, { siteUrl: urlAt(port), opsUrl: urlAt(opsPort), lines });
}

function urlAt(port: number | string): string {
  return `http://127.0.0.1:${port}`;
}

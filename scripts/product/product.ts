import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildOptions, createService, startChild, waitForAnswer } from './child.ts';
import { type Environment, environmentOf, environmentOfProcess, registerIn } from './environment.ts';
import { findFreePort, type StartPorts } from './ports.ts';
import { startRedis } from './redis.ts';

export type Product = Awaited<ReturnType<typeof prepareProduct>>;
/** One of the two programs of the product. */
export type ServerName = 'app' | 'worker';
/** App or worker, one of several. */
export type Server = Awaited<ReturnType<typeof prepareServer>>;

/** A service that the product uses; only one that was started for it is closed with it. */
interface UsedService {
  url: string;
  close?(): Promise<void>;
}

/** How a product is built and set up, and what it works with. */
interface ProductOptions extends Pick<ServerPreparation, 'nodeArgs'> {
  /** The folder of the build; by default `dist`. */
  build?: string;
  /** For the register, and for files of Redis; by default one that goes at the end. */
  folder?: string;
  sandbox?: UsedService & { setWebhookUrl?(url: string): void };
  mailServer?: UsedService;
  withoutRedis?: boolean;
  /** By default any free ones. */
  ports?: Pick<StartPorts, 'PORT' | 'OPS_PORT' | 'WORKER_OPS_PORT' | 'REDIS_PORT'>;
  /** Variables in addition to those of `environmentOf`, or instead of them; or what changes these. */
  env?: Environment | ((standard: Environment) => Environment);
  onLine?: (name: ServerName, line: string) => void;
  onCrash?: (sentence: string) => void;
}

/** When a process does not start, this many of its last lines are the error's message. */
const SHOWN_LINES = 20;

/** Where a Redis that belongs to the product keeps its file. */
export const redisIn = (folder: string): string => join(folder, 'redis');

/** Prepares Redis, app and worker of a build on ports of this machine; nothing runs yet. */
export async function prepareProduct(options: ProductOptions) {
  const { build = 'dist', nodeArgs = [], sandbox, mailServer, ports } = options;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'product-')));
  await mkdir(folder, { recursive: true });
  const redisPort = ports?.REDIS_PORT ?? (await findFreePort());
  const appPort = ports?.PORT ?? (await findFreePort());
  const siteUrl = urlAt(appPort);
  const redisUrl = `redis://127.0.0.1:${redisPort}`;
  const standard = environmentOf({
    siteUrl,
    databaseUrl: registerIn(folder),
    stripeUrl: sandbox?.url,
    smtpUrl: mailServer?.url,
    ...(!options.withoutRedis && { redisUrl }),
  });
  const env = options.env instanceof Function ? options.env(standard) : { ...standard, ...options.env };
  const lines: string[] = [];
  const crashes: string[] = [];
  let started: Promise<unknown> = Promise.resolve();
  const onCrash = (sentence: string): void => {
    crashes.push(sentence);
    // Of several that fail at the start each may say why.
    started.then(() => options.onCrash?.(sentence));
  };
  const prepare = (name: ServerName, port: number, opsPort?: number) => {
    const onLine = (line: string): void => {
      lines.push(line);
      options.onLine?.(name, line);
    };
    return prepareServer(name, { build, nodeArgs, env, port, opsPort, onLine, onCrash });
  };
  const app = await prepare('app', appPort, ports?.OPS_PORT);
  const worker = await prepare('worker', appPort, ports?.WORKER_OPS_PORT);
  const redisFolder = redisIn(folder);
  const redis = createService((crashed) => startRedis(redisPort, redisFolder, { onCrash: crashed }), onCrash);
  const stages = [options.withoutRedis ? [] : [redis], [app, worker]];
  const stop = async (): Promise<void> => {
    for (const services of stages.toReversed()) await Promise.all(services.map((service) => service.stop()));
    await sandbox?.close?.();
    await mailServer?.close?.();
    if (options.folder === undefined) await rm(folder, { recursive: true });
  };
  let stopped: Promise<void> | undefined;
  /** Stops whatever of it runs, and its services. */
  const close = (): Promise<void> => {
    stopped ??= stop();
    return stopped;
  };
  sandbox?.setWebhookUrl?.(`${siteUrl}/webhooks/stripe`);
  return {
    siteUrl,
    opsUrl: app.opsUrl,
    redisUrl,
    redisFolder,
    env,
    redis,
    app,
    worker,
    lines,
    crashes,
    close,
    /** Starts what does not run; resolves when all of it answers. If something does not start, all of it is closed. */
    async start(): Promise<void> {
      for (const services of stages) {
        const starting = services.filter(({ pid }) => pid === undefined).map((service) => service.start());
        started = Promise.allSettled(starting);
        await started;
        await Promise.all(starting).catch(async (error: unknown) => {
          await close();
          throw error;
        });
      }
    },
    /** Prepares one more of them, which is started and stopped by itself. */
    another: async (name: ServerName) => prepare(name, name === 'app' ? await findFreePort() : appPort),
  };
}

interface ServerPreparation extends Pick<ChildOptions, 'onLine' | 'onCrash'> {
  build: string;
  /** Without `PORT` and `OPS_PORT`; read at each start. */
  env: Environment;
  port: number;
  opsPort?: number | undefined;
  /** Node's arguments, in addition to the usual ones. */
  nodeArgs?: readonly string[];
}

/**
 * Prepares app or worker as the image runs it. A start resolves when it answers on its ops port; if it does not, it is
 * stopped, and the error contains its last lines.
 */
export async function prepareServer(name: ServerName, options: ServerPreparation) {
  const { build, env, port, opsPort = await findFreePort(), nodeArgs = [], onLine, onCrash } = options;
  const lines: string[] = [];
  const service = createService(async (crashed) => {
    const child = startChild({
      name,
      command: process.execPath,
      onCrash: crashed,
      args: [...nodeOptions, ...nodeArgs, join(build, `start-${name}.js`)],
      env: {
        PATH: process.env.PATH,
        ...environmentOfProcess(name, { ...env, PORT: String(port) }),
        OPS_PORT: String(opsPort),
      },
      onLine(line) {
        lines.push(line);
        onLine?.(line);
      },
    });
    try {
      await waitForAnswer(`${urlAt(opsPort)}/healthz`, child);
      return child;
    } catch (cause) {
      await child.stop();
      throw new Error(lines.slice(-SHOWN_LINES).join('\n'), { cause });
    }
  }, onCrash);
  return Object.assign(service, {
    /** Where a proxy in front of an app reaches it; a worker does not listen there. */
    siteUrl: urlAt(port),
    opsUrl: urlAt(opsPort),
    lines,
  });
}

function urlAt(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/**
 * The options with which Node runs app and worker; the image sets the same in `NODE_OPTIONS`. The limits of the heap, in
 * megabytes, keep each process below its budget of 150 MiB under load. One thread besides the main one collects garbage
 * and compiles: four of them would take all cores of a small machine at every collection. Budget: a registration's own
 * time, 10 ms at p99.
 */
export const nodeOptions = [
  '--v8-pool-size=1',
  '--max-semi-space-size=4',
  '--max-old-space-size=256',
] as const;

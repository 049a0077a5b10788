import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { BuildMode } from '#scripts/build/bundles.ts';
import { StartError } from '#scripts/product/child.ts';
import type { Environment } from '#scripts/product/environment.ts';
import { isPortFree, type PortName, portNames, type StartPorts, startPorts } from '#scripts/product/ports.ts';

/** Some shells export HOST as the machine's name, which is no address to listen on. */
export const LOOPBACK = '127.0.0.1';

/** Values for a newcomer who has configured nothing, in addition to those of `environmentOf`. */
const sampleDetails = {
  OFFICE_FAX: '+1 (555) 555-0101',
  OFFICE_POSTAL_ADDRESS: '100 Example Street, Sampletown, CA 90000',
  OFFICE_LEGAL_NAME: 'Sample Retreats LLC',
} satisfies Environment;

/** Where the worker copies the register to. */
export const copiesIn = (dataFolder: string): string => resolve(dataFolder, 'copies');

export type Settings = ReturnType<typeof readSettings>;

/**
 * Which stand-ins are needed, and the ports of everything that listens here. Whatever the environment configures replaces
 * its stand-in. In production, Stripe is never replaced by accident.
 */
export function readSettings(env: NodeJS.ProcessEnv) {
  const asked = env.PAYMENTS === 'sandbox' && !env.STRIPE_API_BASE;
  return {
    /** Where the register and its copies are, and where Redis keeps its file. */
    dataFolder: env.DATA_FOLDER || '.data',
    buildFolder: env.BUILD_FOLDER || 'dist',
    needsRedis: !env.REDIS_URL && !env.REDIS_URL_FILE,
    needsMailbox: !env.SMTP_URL && env.MAIL_TRANSPORT !== 'email-service',
    needsSandbox: asked || (!env.STRIPE_SECRET_KEY && env.NODE_ENV !== 'production'),
    ports: readPorts(env),
  };
}

function readPorts(env: NodeJS.ProcessEnv): StartPorts {
  const ports = { ...startPorts };
  for (const name of portNames) {
    const value = env[name] || String(ports[name]);
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
      throw new StartError(`${name} must be a port number.`);
    ports[name] = Number(value);
  }
  return ports;
}

/** The product's environment: configured variables take precedence over the stand-ins, and these over the defaults. */
export function productEnvironment(
  mode: BuildMode,
  { dataFolder, ports, needsSandbox }: Settings,
  standard: Environment,
): Environment {
  const configured: NodeJS.ProcessEnv = Object.fromEntries(
    Object.entries(process.env).filter(([, value]) => value !== ''),
  );
  const isTriedOut = needsSandbox && configured.NODE_ENV !== 'production';
  const officeUrl = `http://127.0.0.1:${ports.OPS_PORT}`;
  const own: Environment = { OFFICE_URL: officeUrl, BACKUP_DIR: copiesIn(dataFolder) };
  const unasked = Object.entries({ ...standard, ...sampleDetails, ...own });
  return {
    // A variable that is set by NAME_FILE gets no other value.
    ...Object.fromEntries(unasked.filter(([name]) => !configured[`${name}_FILE`])),
    ...(isTriedOut && { CLOCK: 'sandbox', REGISTRATION: 'auto' }),
    ...configured,
    HOST: isIP(configured.HOST ?? '') === 0 ? LOOPBACK : configured.HOST,
    // Production refuses a movable clock.
    NODE_ENV: isTriedOut ? 'development' : mode,
  };
}

/** @throws {StartError} naming the first port that another program uses, and how to choose another port */
export async function requireFreePorts(settings: Settings): Promise<void> {
  const { ports, needsRedis, needsMailbox, needsSandbox } = settings;
  const needed: PortName[] = ['PORT', 'OPS_PORT', 'WORKER_OPS_PORT'];
  if (needsMailbox) needed.push('MAILBOX_PORT', 'MAILBOX_SMTP_PORT');
  if (needsSandbox) needed.push('SANDBOX_PORT');
  if (needsRedis) needed.push('REDIS_PORT');
  for (const name of needed) {
    if (await isPortFree(ports[name])) continue;
    throw new StartError(
      `Port ${ports[name]} is taken by another program: end that one, or choose another with ${name}=….`,
    );
  }
}

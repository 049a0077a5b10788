import { sampleMailEvents } from '#scripts/product/environment.ts';
import { StartError } from '#scripts/product/launch.ts';
import { isPortFree } from '#scripts/product/ports.ts';
import { saysWhereRedisIs } from '#server/config/redis-problems.ts';

/** Which stand-ins are needed, and the ports of everything that listens here. */
export interface Settings {
  /** Where Redis keeps its file. */
  dataFolder: string;
  /** Where the build goes. */
  buildFolder: string;
  needsRedis: boolean;
  needsMailbox: boolean;
  needsSandbox: boolean;
  ports: Ports;
  /** The secret with which the stand-in for the mail provider signs. */
  eventsSecret: string;
}

/** The default ports, by the variable that chooses another port. */
const DEFAULT_PORTS = {
  PORT: 3000,
  OPS_PORT: 3001,
  WORKER_OPS_PORT: 3002,
  MAILBOX_PORT: 1080,
  MAILBOX_SMTP_PORT: 1025,
  BOUNCES_PORT: 1081,
  SANDBOX_PORT: 12111,
  REDIS_PORT: 6390,
};
type Ports = typeof DEFAULT_PORTS;
type PortName = keyof Ports;

/**
 * Whatever the environment configures replaces its stand-in. In production, Stripe is never replaced by
 * accident.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const asked = env.PAYMENTS === 'sandbox' && !env.STRIPE_API_BASE;
  return {
    dataFolder: env.DATA_FOLDER || '.data',
    buildFolder: env.BUILD_FOLDER || 'dist',
    needsRedis: !saysWhereRedisIs(env),
    needsMailbox: !env.SMTP_URL && env.MAIL_TRANSPORT !== 'email-service',
    needsSandbox: asked || (!env.STRIPE_SECRET_KEY && env.NODE_ENV !== 'production'),
    ports: readPorts(env),
    eventsSecret: env.MAIL_EVENTS_SECRET?.split(',')[0] || sampleMailEvents.MAIL_EVENTS_SECRET,
  };
}

function readPorts(env: NodeJS.ProcessEnv): Ports {
  const port = (name: PortName): number => {
    const value = env[name];
    if (!value) return DEFAULT_PORTS[name];
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
      throw new StartError(`${name} must be a port number.`);
    return Number(value);
  };
  return {
    PORT: port('PORT'),
    OPS_PORT: port('OPS_PORT'),
    WORKER_OPS_PORT: port('WORKER_OPS_PORT'),
    MAILBOX_PORT: port('MAILBOX_PORT'),
    MAILBOX_SMTP_PORT: port('MAILBOX_SMTP_PORT'),
    BOUNCES_PORT: port('BOUNCES_PORT'),
    SANDBOX_PORT: port('SANDBOX_PORT'),
    REDIS_PORT: port('REDIS_PORT'),
  };
}

/** @throws {StartError} naming the first port that another program uses, and how to choose another port */
export async function requireFreePorts({
  ports,
  needsRedis,
  needsMailbox,
  needsSandbox,
}: Settings): Promise<void> {
  const needed: PortName[] = ['PORT', 'OPS_PORT', 'WORKER_OPS_PORT'];
  if (needsMailbox) needed.push('MAILBOX_PORT', 'MAILBOX_SMTP_PORT', 'BOUNCES_PORT');
  if (needsSandbox) needed.push('SANDBOX_PORT');
  if (needsRedis) needed.push('REDIS_PORT');
  for (const name of needed) {
    if (await isPortFree(ports[name])) continue;
    throw new StartError(
      `Port ${ports[name]} is taken by another program: end that one, or choose another with ${name}=….`,
    );
  }
}

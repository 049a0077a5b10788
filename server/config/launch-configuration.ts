import * as v from 'valibot';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { isLive, SELLER, sellerLacks } from './launch-check.ts';
import type { LaunchItem } from './launch-item.ts';
import { missingWays } from './office.ts';
import type { Given } from './read-environment.ts';
import { users } from './users.ts';
import { type environmentSchema, type ProcessName, schemas } from './variables.ts';

type VariableName = keyof typeof environmentSchema.entries;
/** What is left, as one sentence; nothing where nothing is. */
type Left = (env: Given) => string | false | undefined;

/** @param reads a process that is given none of these cannot judge */
const fact = (id: string, decides: LaunchItem['decides'], reads: readonly VariableName[], left: Left) => ({
  id,
  decides,
  reads,
  left,
  standing: 'left' as const,
});

/** The same for what may stay, if a person confirms it. */
const decision = (...[id, decides, reads, left]: Parameters<typeof fact>) => ({ id, decides, reads, left });

/** Random secrets of the shortest length allowed have more different characters than this. */
const FEW_CHARACTERS = 9;

const RULES: readonly (Omit<ReturnType<typeof fact>, 'standing'> & Pick<LaunchItem, 'standing'>)[] = [
  fact('production', 'engineer', ['NODE_ENV'], ({ NODE_ENV }) => {
    return NODE_ENV !== 'production' && 'NODE_ENV is not production: most checks of the start are off.';
  }),
  fact('https', 'engineer', ['PUBLIC_URL'], ({ PUBLIC_URL = 'not set' }) => {
    return !PUBLIC_URL.startsWith('https://') && `PUBLIC_URL is ${PUBLIC_URL}: visitors need https there.`;
  }),
  fact('live-keys', 'owner', ['STRIPE_SECRET_KEY'], ({ STRIPE_SECRET_KEY, PAYMENTS }) => {
    if (PAYMENTS === 'sandbox') return 'PAYMENTS is sandbox: no card is charged.';
    return !isLive(STRIPE_SECRET_KEY) && 'STRIPE_SECRET_KEY is no live key: no real card is charged.';
  }),
  decision('restricted-key', 'engineer', ['STRIPE_SECRET_KEY'], ({ STRIPE_SECRET_KEY = '' }) => {
    const says =
      'STRIPE_SECRET_KEY may do all: a restricted key needs only the rights in server/ops/launch.md.';
    return STRIPE_SECRET_KEY.startsWith('sk_') && says;
  }),
  decision('office-fax', 'owner', ['OFFICE_FAX'], ({ OFFICE_FAX: fax }) => {
    const [words] = missingWays({ email: '', phone: '', fax, postalAddress: '' });
    return words && `${words}.`;
  }),
  ...SELLER.map((part) =>
    fact(part.id, 'owner', [part.name], (env) => {
      const lacks = sellerLacks(part, env);
      return lacks && `${lacks}; with live keys the site does not start without.`;
    }),
  ),
  fact('registration-window', 'owner', ['REGISTRATION'], ({ REGISTRATION, NODE_ENV }) => {
    if (REGISTRATION === 'closed') return 'REGISTRATION is closed: nobody can register.';
    const isByDate = REGISTRATION === 'auto' || (!REGISTRATION && NODE_ENV === 'production');
    return !isByDate && 'REGISTRATION is open whatever the dates of the edition say: set it to auto.';
  }),
  fact('users', 'owner', ['OPS_USERS'], (env) => {
    return usersOf(env).length === 0 && 'OPS_USERS names nobody: no one can sign in to the office.';
  }),
  fact('users-codes', 'owner', ['OPS_USERS'], (env) => {
    const names = usersOf(env).flatMap(({ name, totp }) => (totp ? [] : [name]));
    return (
      names.length > 0 &&
      `Without an authenticator sign in: ${names.join(', ')}; make their lines with --totp.`
    );
  }),
  fact('link-secret', 'engineer', ['LINK_SECRET'], ({ LINK_SECRET = '' }) => {
    const isWeak = LINK_SECRET.split(',').some((secret) => new Set(secret.trim()).size <= FEW_CHARACTERS);
    return isWeak && 'LINK_SECRET is not random: make it with openssl rand -hex 32.';
  }),
  decision('copies', 'engineer', ['BACKUP_DIR'], ({ DATABASE_URL = '', BACKUP_DIR }) => {
    if (DATABASE_URL.startsWith('postgres'))
      return 'The register is in PostgreSQL: its operator has to copy it.';
    return !BACKUP_DIR && 'BACKUP_DIR is not set: nothing copies the register.';
  }),
  decision('video-room', 'owner', ['VIDEO_ROOM_URL'], ({ VIDEO_ROOM_URL }) => {
    const says = `VIDEO_ROOM_URL is not set: the office has to announce the room before ${facts.startDate}.`;
    return !VIDEO_ROOM_URL && says;
  }),
  decision('mail-events', 'engineer', ['MAIL_EVENTS_SECRET', 'MAIL_EVENTS_SENDGRID_KEY'], (env) => {
    const says =
      'No provider tells of letters that come back: neither MAIL_EVENTS_SECRET nor _SENDGRID_KEY is set.';
    return !env.MAIL_EVENTS_SECRET && !env.MAIL_EVENTS_SENDGRID_KEY && says;
  }),
];

function usersOf({ OPS_USERS = '' }: Given) {
  const read = v.safeParse(users, OPS_USERS);
  return read.success ? read.output : [];
}

/**
 * What the variables of a process leave to do.
 * @param env the variables that it was given
 */
export function configurationItems(env: Given, process: ProcessName): LaunchItem[] {
  return RULES.map(({ reads, left, ...rule }): LaunchItem => {
    const isGiven = (name: VariableName) => name in schemas[process].entries || env[name] !== undefined;
    const names = reads.join(' and ');
    if (!reads.some(isGiven)) {
      const says = `${names}: only the ${process === 'app' ? 'worker' : 'app'} is given that, and can judge it.`;
      return { ...rule, says, standing: 'unseen' };
    }
    const says = left(env);
    return says ? { ...rule, says } : { ...rule, says: `${names}: as it should be.`, standing: 'done' };
  });
}

import * as v from 'valibot';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { isLive } from './launch-check.ts';
import type { LaunchItem } from './launch-item.ts';
import { missingWays } from './office.ts';
import type { Given } from './read-environment.ts';
import { users } from './users.ts';
import { type environmentSchema, type ProcessName, schemas } from './variables.ts';

type VariableName = keyof typeof environmentSchema.entries;

interface Rule extends Omit<LaunchItem, 'says' | 'standing'> {
  /** A process that is given none of these cannot judge. */
  reads: readonly VariableName[];
  /** What is left, as one sentence; undefined where nothing is. */
  left(env: Given): string | undefined;
  done: string;
  /** Whether what is left is a decision, which a person may confirm. */
  mayStay?: true;
}

/** Random secrets of the shortest length allowed have more different characters than this. */
const FEW_CHARACTERS = 9;

const RULES: readonly Rule[] = [
  {
    id: 'production',
    decides: 'engineer',
    reads: ['NODE_ENV'],
    left: ({ NODE_ENV }) =>
      NODE_ENV === 'production' ? undefined : 'NODE_ENV is not production: most checks of the start are off.',
    done: 'The processes run in production mode.',
  },
  {
    id: 'https',
    decides: 'engineer',
    reads: ['PUBLIC_URL'],
    left: ({ PUBLIC_URL = 'not set' }) =>
      PUBLIC_URL.startsWith('https://')
        ? undefined
        : `PUBLIC_URL is ${PUBLIC_URL}: visitors need https there.`,
    done: 'PUBLIC_URL begins with https://.',
  },
  {
    id: 'live-keys',
    decides: 'owner',
    reads: ['STRIPE_SECRET_KEY', 'PAYMENTS'],
    left({ STRIPE_SECRET_KEY, PAYMENTS }) {
      if (PAYMENTS === 'sandbox') return 'PAYMENTS is sandbox: no card is charged.';
      return isLive(STRIPE_SECRET_KEY)
        ? undefined
        : 'STRIPE_SECRET_KEY is no live key: no real card is charged until the live keys are set.';
    },
    done: 'STRIPE_SECRET_KEY is a live key.',
  },
  {
    id: 'restricted-key',
    decides: 'engineer',
    reads: ['STRIPE_SECRET_KEY'],
    left: ({ STRIPE_SECRET_KEY = '' }) =>
      STRIPE_SECRET_KEY.startsWith('rk_')
        ? undefined
        : 'STRIPE_SECRET_KEY may do everything in the account: a restricted key needs only the rights in server/ops/launch.md.',
    done: 'STRIPE_SECRET_KEY is a restricted key.',
    mayStay: true,
    source: 'https://docs.stripe.com/keys/restricted-api-keys',
  },
  {
    id: 'office-fax',
    decides: 'owner',
    reads: ['OFFICE_FAX'],
    left: ({ OFFICE_FAX }) => sentence(missingWays({ ...OTHER_WAYS, fax: OFFICE_FAX })),
    done: 'The policy names a fax number.',
    mayStay: true,
  },
  {
    id: 'office-postal-address',
    decides: 'owner',
    reads: ['OFFICE_POSTAL_ADDRESS'],
    left: ({ OFFICE_POSTAL_ADDRESS }) =>
      sentence(missingWays({ ...OTHER_WAYS, postalAddress: OFFICE_POSTAL_ADDRESS })),
    done: 'The policy names a postal address.',
  },
  {
    id: 'office-legal-name',
    decides: 'owner',
    reads: ['OFFICE_LEGAL_NAME'],
    left: ({ OFFICE_LEGAL_NAME }) =>
      OFFICE_LEGAL_NAME
        ? undefined
        : 'OFFICE_LEGAL_NAME is not set: neither page nor letters say who runs the retreat.',
    done: 'Page and letters say who runs the retreat.',
  },
  {
    id: 'registration-window',
    decides: 'owner',
    reads: ['REGISTRATION'],
    left({ REGISTRATION, NODE_ENV }) {
      if (REGISTRATION === 'closed') return 'REGISTRATION is closed: nobody can register.';
      const isByDate = REGISTRATION === 'auto' || (!REGISTRATION && NODE_ENV === 'production');
      return isByDate
        ? undefined
        : 'REGISTRATION is open whatever the dates of the edition say: set it to auto.';
    },
    done: 'Registration opens and closes by the dates of the edition.',
  },
  {
    id: 'users',
    decides: 'owner',
    reads: ['OPS_USERS'],
    left: (env) =>
      usersOf(env).length > 0 ? undefined : 'OPS_USERS names nobody: no one can sign in to the office.',
    done: 'OPS_USERS names who may sign in.',
  },
  {
    id: 'users-codes',
    decides: 'owner',
    reads: ['OPS_USERS'],
    left(env) {
      const names = usersOf(env).flatMap(({ name, totp }) => (totp ? [] : [name]));
      if (names.length === 0) return undefined;
      return `These users sign in without an authenticator: ${names.join(', ')}; make their lines again with --totp.`;
    },
    done: 'All users sign in with an authenticator.',
  },
  {
    id: 'link-secret',
    decides: 'engineer',
    reads: ['LINK_SECRET'],
    left({ LINK_SECRET = '' }) {
      const isWeak = LINK_SECRET.split(',').some((secret) => new Set(secret.trim()).size <= FEW_CHARACTERS);
      return isWeak ? 'LINK_SECRET is not random: make it with openssl rand -hex 32.' : undefined;
    },
    done: 'LINK_SECRET has the length and variety of a random secret.',
  },
  {
    id: 'copies',
    decides: 'engineer',
    reads: ['BACKUP_DIR'],
    left({ DATABASE_URL = '', BACKUP_DIR }) {
      if (DATABASE_URL.startsWith('postgres'))
        return 'The register is in PostgreSQL: its operator has to make copies.';
      return BACKUP_DIR ? undefined : 'BACKUP_DIR is not set: nothing copies the register.';
    },
    done: 'BACKUP_DIR says where the worker copies the register to.',
    mayStay: true,
  },
  {
    id: 'video-room',
    decides: 'owner',
    reads: ['VIDEO_ROOM_URL'],
    left: ({ VIDEO_ROOM_URL }) =>
      VIDEO_ROOM_URL
        ? undefined
        : `VIDEO_ROOM_URL is not set: announce the room before ${facts.startDate}, on the office’s page of the letters.`,
    done: 'VIDEO_ROOM_URL says where the video room is.',
    mayStay: true,
  },
  {
    id: 'mail-events',
    decides: 'engineer',
    reads: ['MAIL_EVENTS_SECRET', 'MAIL_EVENTS_SENDGRID_KEY'],
    left: ({ MAIL_EVENTS_SECRET, MAIL_EVENTS_SENDGRID_KEY }) =>
      MAIL_EVENTS_SECRET || MAIL_EVENTS_SENDGRID_KEY
        ? undefined
        : 'No mail provider tells of letters that come back: MAIL_EVENTS_SECRET and MAIL_EVENTS_SENDGRID_KEY are not set.',
    done: 'A mail provider tells of letters that come back.',
    mayStay: true,
  },
];

/** An office that offers all ways to cancel, for asking about one of them. */
const OTHER_WAYS = { email: '', phone: '', fax: '', postalAddress: '' };

/** Who judges what a process is not given. */
const WHO_KNOWS: Record<ProcessName, string> = {
  app: 'support launch-check tells more',
  worker: 'the app judges it on the status page of the office',
};

const sentence = ([words]: readonly string[]): string | undefined => words && `${words}.`;

function usersOf({ OPS_USERS = '' }: Given) {
  const read = v.safeParse(users, OPS_USERS);
  return read.success ? read.output : [];
}

/**
 * What the variables of a process leave to do.
 * @param env the variables that it was given
 */
export function configurationItems(env: Given, process: ProcessName): LaunchItem[] {
  return RULES.map(({ reads, left, done, mayStay, ...rule }): LaunchItem => {
    const isGiven = (name: VariableName) => name in schemas[process].entries || env[name] !== undefined;
    if (!reads.some(isGiven)) {
      const says = `${reads.join(' and ')}: the ${process} is not given that; ${WHO_KNOWS[process]}.`;
      return { ...rule, says, standing: 'unseen' };
    }
    const says = left(env);
    if (says === undefined) return { ...rule, says: done, standing: 'done' };
    return { ...rule, says, ...(!mayStay && { standing: 'left' as const }) };
  });
}

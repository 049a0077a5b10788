import { Resolver } from 'node:dns/promises';
import * as v from 'valibot';
import { environmentProblems } from '#server/config/environment-problems.ts';
import { settingProblems } from '#server/config/launch.ts';
import { type Given, readEnvironment } from '#server/config/read-environment.ts';
import { schemas } from '#server/config/variables.ts';
import { COPY_LATE_S, newestCopyIn } from '#server/database/copies.ts';
import { printable } from '#server/office/words.ts';
import { causeOf } from '#server/web/app-error.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { command } from './command.ts';

type Found = readonly (string | false)[] | string | false;
type Looks = Readonly<Record<string, () => Found | Promise<Found>>>;

export const launchCheckCommand = command({
  usage: 'launch-check [--dkim-selector NAME] [--dns-server ADDRESS]',
  help: 'Lists what a program can see that is left before launch: content, configuration, copies, Stripe’s account, the DNS of\n      the sender. NAME is the one of the mail provider’s DKIM key. It changes nothing.',
  takes: { 'dkim-selector': v.optional(v.string()), 'dns-server': v.optional(v.string()) },
  async run({ 'dkim-selector': selector, 'dns-server': server }, { env }) {
    const { given, problems } = readEnvironment(schemas.worker, env);
    const { STRIPE_SECRET_KEY: key, STRIPE_API_BASE, PUBLIC_URL } = given;
    // The SDK is loaded only here: other commands do not need it.
    const { stripeLooks } = await import('#server/stripe/launch-stripe.ts');
    const looks: Looks = {
      configuration: () => [...problems, ...environmentProblems(given, env), ...settingProblems(given)],
      copies: () => copiesOf(given),
      ...(key && PUBLIC_URL && stripeLooks(key, STRIPE_API_BASE, PUBLIC_URL)),
      ...dnsLooks(given, selector, server),
    };
    const items = await Promise.all(Object.entries(looks).map(([id, look]) => lookAt(id, look)));
    const lines = items.flat().toSorted();
    const isLeft = lines.some((line) => !line.startsWith('[x]'));
    return { text: [`Before the launch of ${facts.id}:`, ...lines].join('\n'), isLeft };
  },
});

/** A look that fails is a line of its own, and hides no other. */
async function lookAt(id: string, look: Looks[string]): Promise<string[]> {
  try {
    const found = [await look()].flat().filter((one) => typeof one === 'string');
    return found.length > 0 ? found.map((says) => `[!] ${id}: ${printable(says)}`) : [`[x] ${id}`];
  } catch (error) {
    // Stripe’s own words may repeat the key.
    const { message, type = '' }: Error & { type?: string } = causeOf(error);
    return [`[?] ${id}: ${type.startsWith('Stripe') ? type : printable(message)}`];
  }
}

async function copiesOf({ DATABASE_URL = '', BACKUP_DIR: folder }: Given): Promise<Found> {
  const isFile = DATABASE_URL.startsWith('file:');
  if (folder === undefined) {
    if (isFile) return 'BACKUP_DIR is not set: nothing copies the register';
    const { hasSynchronousStandby } = await import('#server/database/postgres.ts');
    const isSafe = await hasSynchronousStandby(DATABASE_URL);
    return !isSafe && 'PostgreSQL waits for no synchronous standby, and BACKUP_DIR is not set';
  }
  const at = isFile ? await newestCopyIn(folder) : new Date();
  const isLate = !at || Date.now() - at.getTime() > COPY_LATE_S * 1000;
  return isLate && `${folder} has no copy of the register from the last two hours`;
}

function dnsLooks({ MAIL_FROM, OFFICE_EMAIL }: Given, selector?: string, server?: string): Looks {
  const [domain, office] = [MAIL_FROM, OFFICE_EMAIL].map((address) => /@([^\s>]+)/.exec(address ?? '')?.[1]);
  if (!domain || !office) return {};
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (server) resolver.setServers([server]);
  const texts = async (name: string) => (await found(resolver.resolveTxt(name))).map((all) => all.join(''));
  return {
    /** A domain without MX takes mail at its own address; one with an empty MX takes none (RFC 7505). */
    async 'dns-mx'() {
      const [mx] = await found(resolver.resolveMx(office));
      const [v4] = await found(resolver.resolve4(office));
      const [v6] = await found(resolver.resolve6(office));
      return !(mx ? mx.exchange : (v4 ?? v6)) && `${office}, of OFFICE_EMAIL, takes no mail`;
    },
    /** It is asked of the envelope’s domain, which may be the provider’s own: none is no fault (RFC 7208). */
    async 'dns-spf'() {
      const [record = '', other] = (await texts(domain)).filter((one) => /^v=spf1(?: |$)/i.test(one));
      if (other) return `${domain} has several SPF records, so that none is valid`;
      return /\s\+?all(?:\s|$)/i.test(record) && `The SPF record of ${domain} lets everybody send`;
    },
    async 'dns-dkim'() {
      if (!selector) throw new Error('--dkim-selector says under which name the key is');
      const name = `${selector}._domainkey.${domain}`;
      return !(await texts(name)).some((one) => /\bp\s*=\s*[^;\s]/.test(one)) && `${name} has no DKIM key`;
    },
    /** A subdomain is under the policy of its parents (RFC 7489). */
    async 'dns-dmarc'() {
      const parents = domain.split('.').map((_, index, labels) => labels.slice(index).join('.'));
      const policies = await Promise.all(parents.slice(0, -1).map((name) => texts(`_dmarc.${name}`)));
      const isPolicy = (one: string) => /^v=DMARC1\s*;.*\bp\s*=\s*(?:none|quarantine|reject)/i.test(one);
      return !policies.flat().some(isPolicy) && `${domain} has no DMARC policy, which mailboxes ask for`;
    },
  };
}

/** What a server tells; nothing where it tells that there is nothing. */
const found = <Answer>(answer: Promise<Answer[]>): Promise<Answer[]> =>
  answer.catch((error: unknown) => {
    if (error instanceof Error && /ENOTFOUND|ENODATA/.test(error.message)) return [];
    throw error;
  });

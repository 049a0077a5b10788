import { Resolver } from 'node:dns/promises';
import addressparser from 'nodemailer/lib/addressparser';
import { done, type LaunchItem, left, notSeen, type Said } from '#server/config/launch-item.ts';
import { causeOf } from '#server/http/app-error.ts';

/** In milliseconds: a server that is silent holds the list up for twice that. */
const PATIENCE = { timeout: 2_000, tries: 2 };

export interface Sender {
  /** `MAIL_FROM`. */
  sender: string;
  /** `OFFICE_EMAIL`, to which readers answer; it may be of another domain. */
  office: string;
  /** Names the key that the mail provider signs with; without it DKIM cannot be looked up. */
  dkimSelector: string | undefined;
  /** Another server than that of the machine, such as 1.1.1.1 or 127.0.0.1:5353. */
  server: string | undefined;
}

/**
 * The records that let receivers trust letters from a domain, and those by which answers arrive. What no server tells is
 * not taken as missing.
 */
export async function senderItems({ sender, office, dkimSelector, server }: Sender): Promise<LaunchItem[]> {
  const [domain, answered] = [domainOf(sender), domainOf(office)];
  const resolver = new Resolver(PATIENCE);
  if (server) resolver.setServers([server]);
  const texts = async (name: string) =>
    (await found(resolver.resolveTxt(name))).map((parts) => parts.join(''));
  const item = (id: string, source: string, read: () => Promise<Said>) => {
    const what = `${id.slice(4).toUpperCase()} of ${id === 'dns-mx' ? answered : domain}`;
    const unseen = (error: unknown): Said =>
      notSeen(`${what} cannot be looked up: ${causeOf(error).message}.`);
    const kept = { id, decides: 'engineer' as const, source: `https://www.rfc-editor.org/rfc/${source}` };
    return read()
      .catch(unseen)
      .then((said) => ({ ...kept, ...said }));
  };
  const ofAnswers = answered
    ? [item('dns-mx', 'rfc5321#section-5.1', () => mailHostOf(answered, resolver))]
    : [];
  if (!domain) return Promise.all(ofAnswers);
  return Promise.all([
    ...ofAnswers,
    item('dns-spf', 'rfc7208', async () => spfOf(domain, await texts(domain))),
    item('dns-dkim', 'rfc6376', async () => {
      if (!dkimSelector) throw new Error('--dkim-selector says under which name');
      const name = `${dkimSelector}._domainkey.${domain}`;
      const isKey = (await texts(name)).some((text) => /(?:^|;)\s*p=\s*[^;\s]/.test(text));
      return isKey ? done(`${name} has a key.`) : left(`${name} has no DKIM key.`);
    }),
    item('dns-dmarc', 'rfc7489', async () => {
      // A subdomain is under the policy of its parents.
      for (const labels = domain.split('.'); labels.length > 1; labels.shift()) {
        const name = `_dmarc.${labels.join('.')}`;
        const policy = (await texts(name)).find((text) => /^v=DMARC1\b/.test(text));
        if (policy) return dmarcOf(name, policy, labels.length < domain.split('.').length);
      }
      return left(`${domain} has no DMARC policy: large providers refuse letters without one.`);
    }),
  ]);
}

const domainOf = (address: string): string | undefined => addressparser(address)[0]?.address?.split('@')[1];

/** A domain without MX takes mail at its own address; one with an empty MX takes none (RFC 7505). */
async function mailHostOf(domain: string, resolver: Resolver): Promise<Said> {
  const takes = done(`${domain}, of OFFICE_EMAIL, takes the answers to letters.`);
  const [first] = await found(resolver.resolveMx(domain));
  if (first) return first.exchange ? takes : left(`${domain}, of OFFICE_EMAIL, says that it takes no mail.`);
  const hosts = [await found(resolver.resolve4(domain)), await found(resolver.resolve6(domain))].flat();
  return hosts.length > 0
    ? takes
    : left(`${domain}, of OFFICE_EMAIL, has neither MX nor address: no answer to a letter arrives.`);
}

/** SPF is asked of the envelope's domain, which many providers set to one of their own: only what is open is a fact. */
function spfOf(domain: string, texts: readonly string[]): Said {
  const [record, ...others] = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const own = 'right only if the mail provider sends with an envelope domain of its own';
  if (!record) return { says: `${domain} has no SPF record: ${own}.` };
  if (others.length > 0) return { says: `${domain} has several SPF records, so that none is valid: ${own}.` };
  if (/\s\+?all(?:\s|$)/i.test(record))
    return left(`The SPF record of ${domain} lets everybody send: end it with ~all or -all.`);
  return /\s[~-]all(?:\s|$)|\bredirect=/i.test(record)
    ? done(`${domain} has SPF.`)
    : {
        says: `The SPF record of ${domain} refuses nobody: end it with ~all or -all, or keep it on purpose.`,
      };
}

/** @param isParent whether the policy is that of a domain above, whose `sp` is for those below it */
function dmarcOf(name: string, policy: string, isParent: boolean): Said {
  const asks = (tag: string) =>
    new RegExp(`;\\s*${tag}\\s*=\\s*(none|quarantine|reject)\\b`, 'i').exec(policy)?.[1]?.toLowerCase();
  const sub = isParent ? asks('sp') : undefined;
  const asked = sub ?? asks('p');
  if (!asked) return left(`${name} names no policy.`);
  if (asked === 'none')
    return { says: `${name} only watches (${sub ? 'sp' : 'p'}=none): raise it once its reports are clean.` };
  return done(`${name} asks to ${asked}.`);
}

/** What a server tells; nothing where it tells that there is nothing. */
async function found<Record>(answer: Promise<Record[]>): Promise<Record[]> {
  try {
    return await answer;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw error;
  }
}

import { Resolver } from 'node:dns/promises';
import addressparser from 'nodemailer/lib/addressparser';
import { done, type LaunchItem, left, notSeen, type Said } from '#server/config/launch-item.ts';
import { causeOf } from '#server/http/app-error.ts';

/** In milliseconds: a server that is silent holds the list up for twice that. */
const PATIENCE = { timeout: 2_000, tries: 2 };

export interface Sender {
  /** `MAIL_FROM`. */
  sender: string;
  /** Names the key that the mail provider signs with; without it DKIM cannot be looked up. */
  dkimSelector: string | undefined;
  /** Another server than that of the machine, such as 1.1.1.1 or 127.0.0.1:5353. */
  server: string | undefined;
}

/** The records that let receivers trust letters from a domain. What no server tells is not taken as missing. */
export async function senderItems({ sender, dkimSelector, server }: Sender): Promise<LaunchItem[]> {
  const domain = addressparser(sender)[0]?.address?.split('@')[1];
  if (!domain) return [];
  const resolver = new Resolver(PATIENCE);
  if (server) resolver.setServers([server]);
  const texts = async (name: string) =>
    (await found(resolver.resolveTxt(name))).map((parts) => parts.join(''));
  const item = (id: string, source: string, read: () => Promise<Said>) => {
    const what = `${id.slice(4).toUpperCase()} of ${domain}`;
    const unseen = (error: unknown): Said =>
      notSeen(`${what} cannot be looked up: ${causeOf(error).message}.`);
    const kept = { id, decides: 'engineer' as const, source: `https://www.rfc-editor.org/rfc/${source}` };
    return read()
      .catch(unseen)
      .then((said) => ({ ...kept, ...said }));
  };
  return Promise.all([
    item('dns-mx', 'rfc7505', async () => {
      const [first] = await found(resolver.resolveMx(domain));
      return first?.exchange
        ? done(`${domain} takes mail.`)
        : left(`${domain} has no MX: no answer arrives.`);
    }),
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
        if (policy) return dmarcOf(name, policy);
      }
      return left(`${domain} has no DMARC policy: large providers refuse letters without one.`);
    }),
  ]);
}

function spfOf(domain: string, texts: readonly string[]): Said {
  const [record, ...others] = texts.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (!record) return left(`${domain} has no SPF record: receivers do not know who may send its letters.`);
  if (others.length > 0) return left(`${domain} has several SPF records, so that none is valid.`);
  const isOpen = !/(?:[~-]all|redirect=\S+)\s*$/i.test(record);
  return isOpen
    ? left(`The SPF record of ${domain} lets everybody send: end it with ~all or -all.`)
    : done(`${domain} has SPF.`);
}

function dmarcOf(name: string, policy: string): Said {
  const [, asked] = /;\s*p=\s*(none|quarantine|reject)\b/i.exec(policy) ?? [];
  if (!asked) return left(`${name} names no policy.`);
  if (asked.toLowerCase() === 'none')
    return { says: `${name} only watches (p=none): raise it once its reports are clean.` };
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

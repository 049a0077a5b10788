import { hostname } from 'node:os';
import type { Router } from 'express';
import { pageSender, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { Assets } from '#server/page/assets.ts';
import { version } from '#server/service/version.ts';
import { drawPictures, type History, Sparkline } from './history.tsx';
import { type Finding, formatClock, formatDuration, formatMoment, type Verdict, zoneName } from './look.ts';
import type { Standing, Status, StatusRecorder } from './recorder.ts';

interface StatusPageDependencies {
  assets: Pick<Assets, 'officeStyle'>;
  statusRecorder: StatusRecorder;
}

/** `GET /office/status`, for support: it answers within 200 ms, also while Redis hangs. */
export function addStatusPage(router: Router, { assets, statusRecorder }: StatusPageDependencies): void {
  const { tell, history } = statusRecorder;
  const send = pageSender(assets);
  router.get(officePaths.status, async (_req, res) =>
    send(res, 200, 'Status', <StatusPage {...(await tell())} history={history} />),
  );
}

const VERDICT_WORDS: Record<Verdict, string> = {
  down: 'down',
  look: 'look at it',
  unknown: 'not known',
  fine: 'fine',
};

interface StatusPageProps {
  status: Status;
  /** Whether `status` is the current state. */
  isFresh: boolean;
  history: History;
}

/** The status page for operators: what is down, since when, what to do, and the last day in small pictures. */
function StatusPage({ status, isFresh, history }: StatusPageProps) {
  const { look, standings } = status;
  const of = (wanted: Verdict) => standings.filter(({ verdict }) => verdict === wanted);
  return (
    <>
      <p className="lede">{summaryOf(standings)}</p>
      <p>
        {isFresh
          ? `Looked at on ${formatMoment(look.at)}, ${zoneName}.`
          : `Something is slow to answer: this is how things stood at ${formatClock(look.at)}, ${zoneName}.`}{' '}
        <LookAgain />
      </p>
      {[...of('down'), ...of('look')].map((standing) => (
        <Trouble key={standing.part} standing={standing} at={look.at} />
      ))}
      <Rows title="Not known" standings={of('unknown')} at={look.at} />
      <Rows title="Fine" standings={of('fine')} at={look.at} />
      <Section id="day" title="The last 24 hours">
        <p>
          What this process has in its memory, which is empty after a start; each point is the highest of five
          minutes.
        </p>
        <div className="sparklines">
          {drawPictures(history, look.at).map((picture) => (
            <Sparkline key={picture.name} picture={picture} until={look.at} />
          ))}
        </div>
      </Section>
      <p>
        More is on the <a href={officePaths.queues}>mail queue</a> and among the{' '}
        <a href={officePaths.list}>registrations</a>.
      </p>
      <p className="status-process">
        Seen by process {process.pid} of version {version} on {hostname()}. Other copies of the app see for
        themselves, and show their own page.
      </p>
    </>
  );
}

/** What content, configuration and people leave to do; nothing once all is done. */

/** A link to the page itself: it needs no script, and nothing moves while somebody reads. */
const LookAgain = () => <a href={officePaths.status}>Look again</a>;

function summaryOf(standings: readonly Standing[]): string {
  const partsOf = (wanted: Verdict) =>
    standings.filter(({ verdict }) => verdict === wanted).map(({ part }) => part);
  const [down, look] = [partsOf('down'), partsOf('look')];
  const sentences = [
    ...(down.length > 0 ? [`Down: ${down.join(', ')}.`] : []),
    ...(look.length > 0 ? [`Look at: ${look.join(', ')}.`] : []),
  ];
  if (sentences.length > 0) return sentences.join(' ');
  return partsOf('unknown').length > 0 ? 'All is well, as far as it is known.' : 'All is well.';
}

function Trouble({ standing, at }: { standing: Standing; at: Date }) {
  const { part, verdict, says, advice, listed } = standing;
  const sections = [...new Set(advice.map(({ section }) => section))];
  return (
    <section className={`trouble trouble--${verdict}`}>
      <h2>
        {part} <Badge verdict={verdict} />
      </h2>
      <p>
        {says} {sinceOf(standing, at)}
      </p>
      {listed && (
        <p>
          <a href={`${officePaths.list}?show=${listed}`}>See whose on the list</a>
        </p>
      )}
      {advice.map((one) => (
        <AdviceOf key={one.means} advice={one} />
      ))}
      {sections.length > 0 && <p className="advice-source">Operations guide: {sections.join(', ')}</p>}
    </section>
  );
}

function Rows({ title, standings, at }: { title: string; standings: readonly Standing[]; at: Date }) {
  if (standings.length === 0) return null;
  return (
    <section className="status-rows">
      <h2>{title}</h2>
      <dl>
        {standings.map((standing) => (
          <div key={standing.part}>
            <dt>
              {standing.part} <Badge verdict={standing.verdict} />
            </dt>
            <dd>
              {standing.says} {sinceOf(standing, at)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const Badge = ({ verdict }: { verdict: Verdict }) => (
  <span className={`badge badge--${verdict}`}>{VERDICT_WORDS[verdict]}</span>
);

function sinceOf({ since, isAtLeast }: Standing, at: Date): string {
  const seconds = (at.getTime() - since.getTime()) / 1000;
  const howLong = seconds < 60 ? 'just now' : formatDuration(seconds);
  return `${isAtLeast ? 'At least since' : 'Since'} ${formatMoment(since)} (${howLong}).`;
}

function AdviceOf({ advice: { count, means, act } }: { advice: Finding['advice'][number] }) {
  return (
    <dl className="advice">
      <dt>{count === undefined ? 'It means' : `${count} of them`}</dt>
      <dd>
        <p>
          <Sentence>{means}</Sentence>
        </p>
      </dd>
      <dt>What to do</dt>
      <dd>
        {act.map((words) => (
          <p key={words}>
            <Sentence>{words}</Sentence>
          </p>
        ))}
      </dd>
    </dl>
  );
}

/** Words of the run-book as a sentence; text between backticks is code. */
function Sentence({ children }: { children: string }) {
  const sentence = `${children.charAt(0).toUpperCase()}${children.slice(1)}${children.endsWith('.') ? '' : '.'}`;
  return sentence.split('`').map((piece, index) => {
    if (index % 2 === 0) return piece;
    const isLink = piece === officePaths.queues;
    // A piece is unique as a key: no sentence contains the same command twice.
    return <code key={piece}>{isLink ? <a href={piece}>{piece}</a> : piece}</code>;
  });
}

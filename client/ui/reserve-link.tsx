import { selectSite } from '#client/store/site-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { reserveLabels } from '#shared/content/page-frame.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';

interface ReserveLinkProps {
  /** What it says while there are places. */
  label?: string;
  /** What it says while registration is not open. */
  closedLabel?: string;
  /** What it says after payment. */
  doneLabel?: string;
  className?: string;
}

/**
 * A call to action: a plain link to the register section, so it works before any script runs. CSS scrolls
 * smoothly, and the browser moves the starting point of keyboard focus. The label after payment is shown by
 * CSS too, because the sections with these links are not hydrated.
 */
export function ReserveLink({
  label = reserveLabels.open,
  closedLabel,
  doneLabel = reserveLabels.done,
  className = 'button',
}: ReserveLinkProps) {
  const { registrationOpen, registrationOpensOn, isFull } = useAppSelector(selectSite);
  return (
    <a className={className} href={`#${REGISTER_SECTION_ID}`}>
      {registrationOpen ? (
        <>
          <span className="reserve-open">{isFull ? reserveLabels.full : label}</span>
          <span className="reserve-done" hidden>
            {doneLabel}
          </span>
        </>
      ) : (
        (closedLabel ?? reserveLabels[registrationOpensOn ? 'notYetOpen' : 'closed'])
      )}
    </a>
  );
}

import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { reserveLabel } from '#shared/content/page-frame.ts';
import { registrationCopy } from '#shared/content/registration.ts';

const REGISTER_SECTION_ID = 'register-stepper';

function reportMissingSection() {
  if (!document.getElementById(REGISTER_SECTION_ID)) {
    // biome-ignore lint/suspicious/noConsole: the specified reaction to a page without its register section (R1.14)
    console.error('Register section not found');
  }
}

interface ReserveLinkProps {
  label?: string;
  /** What it says once registration has closed. */
  closedLabel?: string;
  className?: string;
}

/**
 * A call to action: a plain link to the register section, so it works before any script runs. CSS makes the
 * way there smooth, and the browser moves the starting point of keyboard focus along.
 */
export function ReserveLink({
  label = reserveLabel,
  closedLabel = registrationCopy.closed.callToAction,
  className = 'button',
}: ReserveLinkProps) {
  const { registrationOpen } = useAppSelector(selectSite);
  return (
    <a className={className} href={`#${REGISTER_SECTION_ID}`} onClick={reportMissingSection}>
      {registrationOpen ? label : closedLabel}
    </a>
  );
}

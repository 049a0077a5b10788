import { useAppSelector } from '#client/store/hooks.ts';
import { selectActiveStep } from '#client/store/stepper-slice.ts';
import { OfficeContact } from '#client/ui/office-links.tsx';
import { waitingListCopy } from '#shared/content/waiting-list.ts';

/** What stands in the stepper's place while no place is left. */
export default function WaitingList() {
  const hadBegun = useAppSelector(selectActiveStep) > 0;
  return (
    <>
      {hadBegun && <p>{waitingListCopy.takenMeanwhile}</p>}
      <OfficeContact text={waitingListCopy.text} />
    </>
  );
}

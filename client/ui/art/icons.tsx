/** Peace with food and body: a full bowl. */
export function BowlIcon() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <circle className="art-halo" cx="36" cy="28" r="22" />
      <g className="art-stroke-ink">
        <path d="M10 32H54C54 46 45 54 32 54S10 46 10 32Z" />
        <path d="M25 24c-4-5 3-8 0-14M38 24c-4-5 3-8 0-14" />
      </g>
    </svg>
  );
}

/** Lasting transformation: the moon, waxing. */
export function NewMoonIcon() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <circle className="art-halo" cx="32" cy="32" r="22" />
      <path className="art-sun" d="M32 10A22 22 0 0 1 32 54 13 22 0 0 0 32 10Z" />
      <circle className="art-stroke-ink" cx="32" cy="32" r="22" />
    </svg>
  );
}

/** Self-kindness: a leaf in the shape of a heart. */
export function HeartLeafIcon() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <circle className="art-halo" cx="28" cy="30" r="22" />
      <g className="art-stroke-ink">
        <path d="M32 50C14 40 8 30 10 22 12 12 26 10 32 22 38 10 52 12 54 22 56 30 50 40 32 50Z" />
        <path d="M32 30V60M32 40l8-8M32 46l-9-9" />
      </g>
    </svg>
  );
}

/** Supportive community: five women in a circle, seen from above. */
export function CircleIcon() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <circle className="art-halo" cx="32" cy="33" r="18" />
      <g className="art-stroke-ink">
        <circle cx="32" cy="11" r="6" />
        <circle cx="53" cy="26" r="6" />
        <circle cx="45" cy="50" r="6" />
        <circle cx="19" cy="50" r="6" />
        <circle cx="11" cy="26" r="6" />
        <path d="M39 14l8 5M52 33l-4 11M38 52H26M16 44l-4-11M17 20l8-6" />
      </g>
    </svg>
  );
}

/** Lifelong tools: a lantern to carry. */
export function LanternIcon() {
  return (
    <svg viewBox="0 0 64 64" aria-hidden="true">
      <circle className="art-halo" cx="32" cy="36" r="22" />
      <path className="art-sun" d="M32 32C37 38 37 43 32 46 27 43 27 38 32 32Z" />
      <g className="art-stroke-ink">
        <path d="M25 22H39L44 29H20ZM22 29V50H42V29M17 50H47V56H17ZM25 22C25 8 39 8 39 22" />
      </g>
    </svg>
  );
}

const STARS = [
  { cx: 92, cy: 150, r: 2.5 },
  { cx: 156, cy: 84, r: 2 },
  { cx: 240, cy: 136, r: 2 },
  { cx: 396, cy: 92, r: 2.5 },
  { cx: 462, cy: 176, r: 2 },
  { cx: 322, cy: 60, r: 1.5 },
  { cx: 62, cy: 12, r: 1.5 },
  { cx: 204, cy: -30, r: 2.5 },
  { cx: 300, cy: -84, r: 1.5 },
  { cx: 516, cy: -52, r: 2 },
];

/** The same door by night, lit from within, at the end of the path. */
export function NightDoor() {
  return (
    <svg viewBox="0 -110 560 630" aria-hidden="true">
      <path
        className="art-moon"
        transform="translate(430 20) rotate(24)"
        d="M0-34A34 34 0 0 1 0 34 44 44 0 0 0 0-34Z"
      />
      <g className="art-light">
        {STARS.map((star) => (
          <circle key={`${star.cx}-${star.cy}`} {...star} />
        ))}
      </g>
      <circle className="art-sky" cx="288" cy="300" r="178" />
      <circle className="art-halo" cx="288" cy="300" r="126" />
      <circle className="art-glow" cx="288" cy="300" r="84" />
      <path
        className="art-far"
        d="M24 520C40 430 110 346 208 342 290 340 340 356 400 346 480 336 544 420 552 520Z"
      />
      <path className="art-mid" d="M0 520C60 470 170 366 268 360 370 356 470 440 560 520Z" />
      <path className="art-deep" d="M248 366V284A40 40 0 0 1 328 284V364Z" />
      <path className="art-light" d="M256 366V286A32 32 0 0 1 320 286V364Z" />
      <circle className="art-sun" cx="286" cy="316" r="17" />
      <path className="art-accent" d="M320 364V286C320 268 332 258 354 258V382Z" />
      <circle className="art-light" cx="328" cy="326" r="2.5" />
      <path
        className="art-path"
        d="M142 520C156 470 300 456 318 430 328 412 262 402 258 384 256 376 258 370 258 365L320 364C320 370 316 378 320 386 334 404 404 410 384 440 362 470 300 474 292 520Z"
      />
      <path className="art-near" d="M0 520C50 474 124 466 156 498L142 520Z" />
      <path className="art-near" d="M560 520C510 470 390 466 318 520Z" />
    </svg>
  );
}

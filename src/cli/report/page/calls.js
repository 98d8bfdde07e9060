/* The stacks of the peak, as a flame graph that hangs down. */

const CALL_HEIGHT = 20;

/* A call that is shown elsewhere has the same colour here. */
function callColours(course) {
	return new Map((course.tree || []).map((each) =>
		[`${each.file} ${each.name}`, shareColour(each.share)]));
}

function callDepths(calls) {
	const depths = [];
	for (const [parent] of calls)
		depths.push(parent < 0 ? 1 : depths[parent] + 1);
	return depths;
}

/* All calls, below one of all that lived. */
function callsBelow(flame, device) {
	const all = flame.filter(([parent]) => parent < 0);
	const blocks = all.reduce((sum, each) => sum + each[4], 0);
	return [[-1, "all", "", device.peak, blocks],
		...flame.map(([parent, ...more]) => [parent + 1, ...more])];
}

function drawCalls(course, device) {
	const calls = course.flame ? callsBelow(course.flame, device) : [];
	const tints = callColours(course);
	const depth = callDepths(calls).reduce((a, b) => Math.max(a, b), 0);
	document.querySelector("#calls .plot").style.height =
		`${CALL_HEIGHT * depth}px`;
	return plot("calls", calls.length ? [{
		type: "icicle", branchvalues: "total", sort: false,
		ids: calls.map((_, i) => `${i}`),
		parents: calls.map(([parent]) => parent < 0 ? "" : `${parent}`),
		labels: calls.map(([, file, name]) => escaped(shortName(name || file))),
		values: calls.map(([, , , bytes]) => bytes),
		text: calls.map(([, file, name, bytes, blocks]) =>
			`${escaped(name ? `${file}: ${name}` : file)}<br>` +
			`${bytesText(bytes)}, ${percentText(bytes / device.peak)}, ` +
			blocksText(blocks)),
		texttemplate: "%{label}", hovertemplate: "%{text}<extra></extra>",
		tiling: {orientation: "v", pad: 1}, pathbar: {visible: false},
		marker: {
			colors: calls.map(([, file, name]) =>
				tints.get(`${file} ${name}`) || colour("line")),
		},
	}] : [], {
		margin: {l: 0, r: 0, t: 4, b: 0},
		uniformtext: {minsize: 9, mode: "hide"},
	}, {displayModeBar: false});
}

/* Sizes, iterations, slow calls and failures. */

function drawSizes(course) {
	const sizes = course.sizes;
	const ranges = sizes.map((each) => `${bytesText(2 ** each.power)}`);
	const unit = byteUnit(Math.max(0, ...sizes.map((each) => each.bytes)));
	const bars = (values, texts, name, share, yaxis) => ({
		type: "bar", x: ranges, y: values, text: texts, name, yaxis,
		textposition: "none", hovertemplate: "from %{x}: %{text}<extra></extra>",
		marker: {color: shareColour(share)},
	});
	const traces = sizes.length ? [
		bars(sizes.map((each) => each.count),
			sizes.map((each) => `${countText(each.count)} requests`),
			"requests", 0, "y"),
		bars(sizes.map((each) => each.bytes / unit.size),
			sizes.map((each) => bytesText(each.bytes)), "bytes", 1, "y2"),
	] : [];
	return plot("sizes", traces, {
		showlegend: false, bargap: 0.1, hovermode: "x", hoverdistance: -1,
		xaxis: axis({
			type: "category", showgrid: false, anchor: "y2", tickangle: 90,
			tickfont: {size: 10},
		}),
		yaxis: axis({
			domain: [0.56, 1], title: {text: "requests"}, nticks: 4,
			tickformat: "~s",
		}),
		yaxis2: axis({
			domain: [0, 0.44], title: {text: "bytes"}, nticks: 4,
			ticksuffix: ` ${unit.name}`,
		}),
	}, {displayModeBar: false});
}

/* Name, figure, whether it is a sum of those of several iterations, unit, text,
 * colour. */
const ITERATION_ROWS = [
	["time", (each) => each.end - each.begin, true, timeUnit, timeText, 0],
	["live at most", (each) => each.peak, false, byteUnit, bytesText, 3],
	["requests", (each) => each.requests, true, null, numberText, 5],
	["driver asked", (each) => each.driver, true, null, numberText, 1],
	["stays live", (each) => each.stays, true, byteUnit, bytesText, 4],
];

function numberText(number) {
	return digits(number);
}

function iterationTraces(iterations) {
	const {each: step, list} = iterations;
	return ITERATION_ROWS.map(([name, value, sum, unitOf, textOf, share], row) => {
		const values = list.map((each, i) => value(each) / (!sum ? 1
			: i + 1 < list.length ? step : iterations.last));
		/* What the program frees as it ends is not the last one's. */
		if (name === "stays live" && list.length > 1)
			values.pop();
		const unit = unitOf ? unitOf(Math.max(...values.map(Math.abs)))
			: {name: "", size: 1};
		return {
			type: "scatter", mode: list.length > 100 ? "lines" : "lines+markers",
			name, x: values.map((_, i) => i * step), yaxis: row ? `y${row + 1}` : "y",
			y: values.map((v) => v / unit.size), unit: unit.name,
			text: values.map(textOf), hovertemplate: `${name}: %{text}`,
			line: {color: shareColour(share), width: 1.5}, marker: {size: 4},
		};
	});
}

/* `period`: what an iteration was found by, or null. */
function iterationsTitle(period, device) {
	if (!period)
		return "Iterations, as marked";
	return "Iterations, found by " + (device.device === period.device
		? `their ${countText(period.requests)} requests`
		: `what ${deviceName(period.device)} repeats`);
}

function drawIterations(course, device, period) {
	const traces = course.iterations ? iterationTraces(course.iterations) : [];
	const rows = ITERATION_ROWS.length;
	document.querySelector("#iterations h2").textContent =
		iterationsTitle(period, device);
	const axes = Object.fromEntries(traces.map((trace, row) => [
		row ? `yaxis${row + 1}` : "yaxis",
		axis({
			domain: [1 - (row + 0.82) / rows, 1 - row / rows],
			title: {text: trace.name, font: {size: 11}}, nticks: 3,
			ticksuffix: trace.unit ? ` ${trace.unit}` : "",
			rangemode: "tozero", fixedrange: true,
		}),
	]));
	for (const trace of traces)
		delete trace.unit;
	return plot("iterations", traces, {
		showlegend: false, hovermode: "x unified", hoverdistance: -1,
		xaxis: axis({showgrid: false, anchor: `y${rows}`}), ...axes,
	}, {displayModeBar: false});
}

function table(id, heads, rows) {
	const section = document.getElementById(id);
	section.hidden = !rows.length;
	const body = element("tbody");
	for (const row of rows)
		body.append(row);
	section.querySelector(".table").replaceChildren(element("table", {},
		element("thead", {}, element("tr", {}, ...heads.map(([name, kind]) =>
			element("th", kind ? {class: kind, scope: "col"}
				: {scope: "col"}, name)))), body));
}

function cell(text, kind) {
	return element("td", kind ? {class: kind} : {}, text);
}

const SLOW_SHOWN = 12;

function drawSlow(course, figures) {
	const calls = course.slow_calls;
	const slowest = calls ? calls.slowest.slice(0, SLOW_SHOWN) : [];
	table("slow", [["took", "number"], [""], ["call"], ["at", "number"],
		["by"]], slowest.map((call) => {
		const bar = element("div", {
			class: "bar",
			style: `width: ${Math.ceil(40 * call.took / slowest[0].took)}px`,
		});
		return element("tr", {title: `${call.file}: ${call.function}`},
			cell(timeText(call.took), "number"), cell(bar),
			cell(`${call.kind} ${bytesText(call.size)}`),
			cell(momentText(call.time, figures.end), "number"),
			cell(shortName(call.function || call.file), "name"));
	}));
	if (calls)
		document.querySelector("#slow h2").textContent = "Slowest of " +
			`${countText(calls.count)} slow calls, ` +
			`${timeText(calls.sum)} together`;
}

function holdersTable(holders, live) {
	return element("table", {class: "holders"}, ...holders.map((holder) =>
		element("tr", {}, cell(bytesText(holder.bytes), "number"),
			cell(live ? percentText(holder.bytes / live) : "", "number"),
			cell(blocksText(holder.blocks), "number"),
			cell(holder.file, "name"), cell(holder.name, "name"))));
}

function drawFailures(course, device, figures) {
	table("failures", [["at", "number"], ["asked for", "number"],
		["live then", "number"], ["by"], ["in"], ["what was live"]],
	device.failures.map((each, i) => element("tr", {},
		cell(momentText(each.time, figures.end), "number"),
		cell(bytesText(each.size), "number"),
		cell(bytesText(each.live), "number"), cell(each.file, "name"),
		cell(each.function, "name"),
		cell(holdersTable(course.failure_holders[i] || [], each.live)))));
	document.querySelector("#failures h2").textContent =
		device.failed > device.failures.length
			? `The first ${device.failures.length} of ` +
				`${countText(device.failed)} failed requests`
			: "Failed requests";
}

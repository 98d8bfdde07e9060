/* Who held the peak, and where its blocks were. */

function sizeLabel(size) {
	return size.size === null ? `${countText(size.blocks)} of other sizes`
		: `${countText(size.blocks)} × ${bytesText(size.size)}`;
}

function drawPeak(course, device) {
	const tree = course.tree || [];
	const trace = {
		type: "treemap", branchvalues: "total", ids: [], parents: [],
		labels: [], values: [], text: [], customdata: [],
		texttemplate: "%{label}<br>%{text}",
		hovertemplate: "%{customdata}<extra></extra>",
		marker: {colors: [], line: {width: 1, color: colour("card")}},
		pathbar: {thickness: 18}, tiling: {pad: 2},
	};
	const add = (id, parent, label, value, tint, blocks, full, leaf) => {
		const amount = `${bytesText(value)}, ${percentText(value / device.peak)}`;
		trace.ids.push(id);
		trace.parents.push(parent);
		trace.labels.push(escaped(leaf ? label : `${label}: ${amount}`));
		trace.values.push(value);
		trace.text.push(!leaf ? "" : blocks === 1
			? percentText(value / device.peak) : amount);
		trace.customdata.push(`${escaped(full)}<br>${amount}, ` +
			blocksText(blocks));
		trace.marker.colors.push(tint);
	};
	const sum = (list, key) => list.reduce((all, each) => all + each[key], 0);
	const files = [...new Set(tree.map((each) => each.file))];
	for (const file of files) {
		const own = tree.filter((each) => each.file === file);
		add(`f ${file}`, "", file, sum(own, "bytes"), colour("line"),
			sum(own, "blocks"), file);
		for (const each of own)
			addFunction(add, each, file);
	}
	return plot("peak", tree.length ? [trace] : [], {
		margin: {l: 0, r: 0, t: 4, b: 0},
		uniformtext: {minsize: 10, mode: "hide"},
	}, {displayModeBar: false});
}

function addFunction(add, each, file) {
	const id = `s ${each.share}`;
	const tint = shareColour(each.share);
	add(id, `f ${file}`, shortName(each.name), each.bytes, tint, each.blocks,
		`${file}: ${each.name}`);
	for (const [i, size] of each.sizes.entries()) {
		const bytes = size.size === null ? size.bytes : size.size * size.blocks;
		if (bytes)
			add(`${id} ${i}`, id, sizeLabel(size), bytes, tint, size.blocks,
				`${each.name}: ${sizeLabel(size)}`, true);
	}
}

/* Where a row does not follow upon the one before, there is a gap. */
function mapRows(map) {
	const columns = map.rows.length ? map.rows[0].used.length : 0;
	const rows = [];
	let next = null;
	for (const row of map.rows) {
		if (next !== null && BigInt(row.address) !== next)
			rows.push({label: `${row.address} gap`, used: null});
		rows.push({label: row.address, used: row.used});
		next = BigInt(row.address) + BigInt(columns) * BigInt(map.cell);
	}
	return rows;
}

/* The region that an address is in, and what lives there; or "". */
function regionText(regions, at) {
	const region = regions.find((each) =>
		at >= each.begin && at < each.begin + each.size);
	return !region ? "" : `<br>in the region ${region.address} of ` +
		`${escaped(region.pool)}: ${bytesText(region.live)}, ` +
		blocksText(region.blocks);
}

function mapText(map, regions, row) {
	if (!row.used)
		return Array(map.rows[0].used.length).fill("a gap");
	return row.used.map((used, i) => {
		const at = BigInt(row.label) + BigInt(i) * BigInt(map.cell);
		return `0x${at.toString(16)}<br>${bytesText(used)} of ` +
			bytesText(map.cell) + regionText(regions, Number(at));
	});
}

function drawMap(course) {
	const map = course.map;
	const rows = map ? mapRows(map) : [];
	const regions = map ? map.regions.map((each) =>
		({...each, begin: Number(each.address)})) : [];
	const traces = rows.length ? [{
		type: "heatmap", zmin: 0, zmax: 100, xgap: 1, ygap: 1,
		y: rows.map((row) => row.label),
		z: rows.map((row) => row.used
			? row.used.map((used) => used
				? Math.min(100, 100 * used / map.cell) : 0)
			: Array(map.rows[0].used.length).fill(null)),
		text: rows.map((row) => mapText(map, regions, row)),
		hovertemplate: "%{text}<extra></extra>",
		colorscale: [[0, colour("line")], [0.001, colour("ground")],
			[1, shareColour(0)]],
		colorbar: {ticksuffix: " %", thickness: 10, outlinewidth: 0},
	}] : [];
	return plot("map", traces, {
		xaxis: axis({
			showgrid: false, showticklabels: false, title: {
				text: map ? `a cell: ${bytesText(map.cell)}` : "",
				font: {size: 12},
			},
		}),
		yaxis: axis({
			autorange: "reversed", showgrid: false, nticks: 12,
			type: "category",
			tickvals: rows.filter((row, i) => row.used &&
				(i === 0 || !rows[i - 1].used || i % 8 === 0))
				.map((row) => row.label),
			tickfont: {family: "ui-monospace, monospace", size: 10},
		}),
	}, {displayModeBar: false});
}

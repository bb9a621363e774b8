package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// one is a case of Istio's tests, in the format of cases.json.
type one struct {
	Name          string            `json:"name"`
	Input         string            `json:"input"`
	Expected      *string           `json:"expected"`
	ExpectedError *string           `json:"expected_error"`
	ExpectedLog   *string           `json:"expected_log,omitempty"`
	Settings      string            `json:"settings"`
	MeshChanges   []change          `json:"mesh_changes"`
	Features      map[string]any    `json:"features"`
	Env           map[string]string `json:"env,omitempty"`
	Namespaces    map[string]any    `json:"namespaces,omitempty"`
	Modes         []string          `json:"modes"`
	Revision      map[string]string `json:"revision"`
	WebhookDocs   string            `json:"webhook_docs,omitempty"`
	Reinject      bool              `json:"reinject_expected,omitempty"`
	IgnoreFields  bool              `json:"ignore_template_fields,omitempty"`
	Test          string            `json:"test"`
}

type patchCase struct {
	Pod      string `json:"pod"`
	Settings string `json:"settings"`
	Patch    string `json:"expected_patch"`
}

// reader reads the tests of one tag.
type reader struct {
	source, folder, tag string
	tests               string // the folder of package inject
	in                  *interpreter
	code                map[string]string // the text of a function
	chosen              map[string]*settings
	cases               []one
	patches             []patchCase
	unread, skipped     []string
	names               map[string]bool
	memory              map[string]*settings
	switches            map[string]string // of istiod, with their defaults as written
	namespaces          map[string]any
	testMode            bool // mesh.TestMode of 1.6
	row                 row
}

// row contains the settings that one iteration of a test has recorded.
type row struct {
	test            string
	settings        *settings
	webhookSettings *settings
	changes         []change
	env             map[string]string
	features        map[string]any
	variables       object
	files           map[string]string
	kubeInject      bool
	webhook         bool
	revision        string
	problem         error
}

func write(source, folder, tag string) (string, error) {
	r := &reader{
		source: source, folder: folder, tag: tag,
		code: map[string]string{}, chosen: map[string]*settings{}, names: map[string]bool{},
		memory: map[string]*settings{}, switches: map[string]string{}, unread: []string{}, skipped: []string{},
	}
	if err := r.load(); err != nil {
		return "", err
	}
	if err := r.read(); err != nil {
		return "", err
	}
	if len(r.cases) == 0 {
		return "", fmt.Errorf("no case is readable; the tests of this release have an unsupported structure")
	}
	return r.save()
}

// load parses the package, and declares its constants and functions in the interpreter.
func (r *reader) load() error {
	for _, folder := range []string{"pkg/kube/inject", "pilot/pkg/kube/inject"} {
		if _, err := os.Stat(filepath.Join(r.source, folder)); err == nil {
			r.tests = filepath.Join(r.source, folder)
		}
	}
	r.in = &interpreter{
		functions: map[string]*ast.FuncDecl{}, constants: map[string]ast.Expr{}, types: map[string]ast.Expr{},
		assigned: r.assigned, made: r.made,
	}
	if err := r.findSwitches(); err != nil {
		return err
	}
	r.in.hooks = r.hooks()
	files, err := filepath.Glob(filepath.Join(r.tests, "*.go"))
	if err != nil {
		return err
	}
	positions := token.NewFileSet()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range parsed.Decls {
			r.declare(positions, string(text), declared)
		}
	}
	return nil
}

func (r *reader) declare(positions *token.FileSet, text string, declared ast.Decl) {
	switch d := declared.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || d.Name.Name == "intoHelmValues" {
			r.in.functions[d.Name.Name] = d
			r.code[d.Name.Name] = text[positions.Position(d.Pos()).Offset:positions.Position(d.End()).Offset]
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for index, name := range s.Names {
					if index < len(s.Values) {
						r.in.constants[name.Name] = s.Values[index]
					}
				}
			case *ast.TypeSpec:
				r.in.types[s.Name.Name] = s.Type
			}
		}
	}
}

// read runs the tests that compare files.
func (r *reader) read() error {
	for _, test := range []string{
		"TestIntoResourceFile", "TestRewriteAppProbe", "TestInvalidAnnotations", "TestHelmInject", "TestInject",
		"TestWebhookInject", "TestInjection", "TestInjectionOlderVersion",
	} {
		declared, ok := r.in.functions[test]
		if !ok {
			continue
		}
		r.row, r.namespaces = row{test: test, files: map[string]string{}}, nil
		outer := &scope{map[string]any{"t": symbol("t")}, nil}
		var loop *ast.RangeStmt
		for _, statement := range declared.Body.List {
			if found, ok := statement.(*ast.RangeStmt); ok {
				if name, ok := found.X.(*ast.Ident); ok && name.Name == "cases" && strings.Contains(r.code[test], "t.Run") && runs(found) {
					loop = found
					break
				}
			}
			r.in.run(statement, outer)
		}
		table, ok := outer.names["cases"].([]any)
		if loop == nil || !ok {
			r.unread = append(r.unread, test)
			continue
		}
		if strings.Contains(r.code[test], "ReadDir(") {
			table = r.addFiles(table)
		}
		for _, each := range table {
			variables, ok := each.(object)
			if !ok {
				r.unread = append(r.unread, test)
				continue
			}
			r.turn(test, loop, variables, outer)
		}
	}
	return nil
}

// runs reports whether a loop starts subtests.
func runs(loop *ast.RangeStmt) bool {
	found := false
	ast.Inspect(loop, func(node ast.Node) bool {
		if called, ok := node.(*ast.SelectorExpr); ok && called.Sel.Name == "Run" {
			found = true
		}
		return true
	})
	return found
}

// addFiles adds the cases that TestInjection finds in its folder.
func (r *reader) addFiles(table []any) []any {
	known := map[string]bool{}
	for _, each := range table {
		variables := each.(object)
		if want := text(variables["want"]); want != "" {
			known[want] = true
		} else {
			known[text(variables["in"])+".injected"] = true
		}
	}
	files, _ := filepath.Glob(filepath.Join(r.tests, "testdata/inject/*.yaml"))
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".iop.yaml") || known[name+".injected"] {
			continue
		}
		table = append(table, object{
			"in": name, "want": name + ".injected", "setFlags": nil, "inFilePath": "", "mesh": nil, "setup": nil,
			"expectedError": "", "expectedLog": "", "skipWebhook": false, "skipInjection": false,
		})
	}
	return table
}

// turn runs the loop for one case, and records its settings.
func (r *reader) turn(test string, loop *ast.RangeStmt, variables object, outer *scope) {
	r.row = row{test: test, variables: variables, env: map[string]string{}, features: map[string]any{}}
	r.row.files = map[string]string{}
	inner := &scope{map[string]any{}, outer}
	if name, ok := loop.Value.(*ast.Ident); ok {
		inner.names[name.Name] = variables
	}
	if name, ok := loop.Key.(*ast.Ident); ok && name.Name != "_" {
		inner.names[name.Name] = int64(0)
	}
	r.in.block(loop.Body.List, inner)
	var err error
	switch test {
	case "TestWebhookInject", "TestInject": // the latter in 1.0
		err = r.recordPatch()
	case "TestHelmInject":
		err = r.recordHelm()
	default:
		err = r.record()
	}
	name := fmt.Sprintf("%s %s", test, text(variables["want"])+text(variables["wantFile"]))
	switch {
	case errors.Is(err, errSkipped):
		r.skipped = append(r.skipped, name)
	case err != nil:
		r.unread = append(r.unread, fmt.Sprintf("%s: %v", name, err))
	}
}

var switchPattern = regexp.MustCompile(`"(ENABLE_LEGACY_FSGROUP_INJECTION|REWRITE_TCP_PROBES|ENABLE_NATIVE_SIDECARS)",\s*([^,]+),`)

// findSwitches finds the feature flags of istiod for injection in the release.
func (r *reader) findSwitches() error {
	files, err := filepath.Glob(filepath.Join(r.source, "pilot/pkg/features/*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, found := range switchPattern.FindAllStringSubmatch(string(raw), -1) {
			r.switches[found[1]] = strings.TrimSpace(found[2])
		}
	}
	return nil
}

// made records the webhook of a test, and its namespaces.
func (r *reader) made(name string, value object) {
	switch name {
	case "Webhook":
		r.row.revision = text(value["revision"])
		if used, ok := value["Config"].(*settings); ok {
			r.row.webhookSettings = used
		}
	case "Namespace":
		metadata, _ := value["ObjectMeta"].(object)
		known := map[string]string{
			"securityv1.UIDRangeAnnotation":           "openshift.io/sa.scc.uid-range",
			"securityv1.SupplementalGroupsAnnotation": "openshift.io/sa.scc.supplemental-groups",
		}
		annotations := map[string]any{}
		given, _ := metadata["Annotations"].(object)
		for key, each := range given {
			if full, ok := known[key]; ok {
				key = full
			}
			annotations[key] = each
		}
		if r.namespaces == nil {
			r.namespaces = map[string]any{}
		}
		r.namespaces[text(metadata["Name"])] = map[string]any{"annotations": annotations}
	}
}

// assigned records a feature flag that a setup function sets.
func (r *reader) assigned(name symbol, value any) {
	if name == "mesh.TestMode" {
		r.testMode = value == true
	}
	r.set(name, value)
}

func (r *reader) set(name any, value any) {
	known := map[string]string{
		"features.EnableLegacyFSGroupInjection": "legacyFSGroupInjection",
		"features.RewriteTCPProbes":             "rewriteTCPProbes",
		"features.EnableNativeSidecars":         "nativeSidecars",
		"features.CompliancePolicy":             "compliancePolicy",
		"common_features.CompliancePolicy":      "compliancePolicy",
	}
	switch key := strings.TrimSuffix(text(name), ".Name"); key {
	case "platform.Platform", "PLATFORM":
		r.row.features["platform"] = "openshift"
	case "COMPLIANCE_POLICY":
		r.row.features["compliancePolicy"] = text(value)
	case "ENABLE_NATIVE_SIDECARS":
		r.row.features["nativeSidecars"] = text(value) == "true"
	case "ENABLE_LEGACY_FSGROUP_INJECTION":
		r.row.env[key] = text(value)
	default:
		feature, ok := known[key]
		if !ok {
			return
		}
		switch {
		case feature == "nativeSidecars":
			r.row.features[feature] = text(value) == "true" || strings.HasSuffix(text(value), "Enabled")
			if strings.HasSuffix(text(name), ".Name") {
				r.row.env["ENABLE_NATIVE_SIDECARS"] = text(value)
			}
		default:
			r.row.features[feature] = value
		}
	}
}

func (r *reader) save() (string, error) {
	for name, each := range r.chosen {
		if err := each.write(filepath.Join(r.folder, "settings", name)); err != nil {
			return "", err
		}
	}
	if err := save(filepath.Join(r.folder, "cases.json"), r.cases); err != nil {
		return "", err
	}
	if len(r.patches) > 0 {
		document := map[string]any{"cases": r.patches}
		if err := save(filepath.Join(r.folder, "webhook-patch-cases.json"), document); err != nil {
			return "", err
		}
	}
	meta := map[string]any{
		"release": r.tag, "cases": len(r.cases), "webhook_patch_cases": len(r.patches),
		"unread": r.unread, "skipped_by_istio": r.skipped,
	}
	if err := save(filepath.Join(r.folder, "meta.json"), meta); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d cases, %d whole patches, %d not read", len(r.cases), len(r.patches), len(r.unread)), nil
}

func save(file string, value any) error {
	made, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(made, '\n'), 0o644)
}

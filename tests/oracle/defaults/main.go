// Command defaults sets the defaults of objects as kube-apiserver does, with the scheme of the
// release that it is built with.
//
// Each line of standard input is an object. It comes back as kube-apiserver sends it to a webhook.
package main

import (
	"bufio"
	"os"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		object, gvk := decode(in.Bytes())
		sent, err := legacyscheme.Scheme.ConvertToVersion(toInternal(object), gvk.GroupVersion())
		check(err)
		_, err = out.Write(append(encode(sent, gvk), '\n'))
		check(err)
	}
	check(in.Err())
}
